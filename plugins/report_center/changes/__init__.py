"""What changes something, in the name of a user: of Airflow, of the warehouse, of dead letters."""
