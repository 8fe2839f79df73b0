"""The demo: runs the sample report on the embedded stack and shows what it published.

Usage: python -m sample_services.demo --period 2013-07-04
"""

REPORT = "airline_on_time"
TABLE = "carrier_day"
