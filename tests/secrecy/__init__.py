"""Pairs of tables that differ only in what a seat may not know are played alike, and every byte that it is sent compared.

still.py time, chance and store; side.py one table with everybody at it; pair.py two of them; kinds.py what may be secret;
script.py the same evening for both; run.py many of them; bugs.py leaks that must be found; `make secrets` runs it all.
"""
