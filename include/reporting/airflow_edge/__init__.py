"""The edge to Airflow: the only modules that import it.

A report file imports `build_dag` from `reporting.airflow_edge.dag`; by that name Airflow's scan
for DAG files, which looks for the word, finds the file.
"""
