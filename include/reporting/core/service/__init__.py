"""Services that answer later: jobs that are polled or call back, and messages."""
