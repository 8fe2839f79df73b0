"""What is known of reports and their runs: read, never written, and never kept."""
