"""What a report run does, without Airflow: staging, computing, publishing, undoing."""
