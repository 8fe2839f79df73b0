"""Small services that stand in for the outside world in the demo and in tests."""
