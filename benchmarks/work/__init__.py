"""The pieces of work that are measured, each in a process of its own."""
