"""Scenario files: reading, naming, judging."""
