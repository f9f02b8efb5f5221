"""Scenarios: a fight written down in a YAML file, played by scripted clients over real sockets, checked after each step.

format.py says what may stand in a file (server/scenarios/README.md tells people), player.py plays it.
"""
