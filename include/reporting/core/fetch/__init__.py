"""One module per way of asking a source; each streams into a staging attempt."""
