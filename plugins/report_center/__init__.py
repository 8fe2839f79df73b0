"""The report center: pages and a JSON API over what Airflow, the warehouse and the store know."""
