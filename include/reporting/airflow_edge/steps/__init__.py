"""One module per task: it opens connections, calls the core and returns a small summary."""
