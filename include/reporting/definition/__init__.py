"""What a report is: frozen, typed data without Airflow and without heavy imports."""
