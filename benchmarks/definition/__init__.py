"""One report twice: as a definition and as a DAG written by hand; copied by `definitions`."""
