"""The command `reports`."""
