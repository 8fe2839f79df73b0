"""Speed goals, measured against a peer in the same run: `make bench`."""
