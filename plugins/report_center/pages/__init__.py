"""The HTML pages of the report center."""
