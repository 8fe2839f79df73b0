"""The JSON API of the report center, below `/reports/api`."""
