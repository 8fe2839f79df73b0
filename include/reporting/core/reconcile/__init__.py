"""Reconciliation: compares what runs have made everywhere, and repairs what a rule allows (R20)."""
