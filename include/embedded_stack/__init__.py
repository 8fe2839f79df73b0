"""Real services for reports in one folder: PostgreSQL, an S3 store, RabbitMQ, Airflow.

From Python: `embedded_stack.stack.Stack` and `embedded_stack.ports.Ports`. Nothing is imported
here, because the launcher of every service passes through and must stay quick.
"""
