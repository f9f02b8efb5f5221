"""The property machine: random commands by random seats on random tables, and what must hold after each of them.

tables.py    a table drawn at random: its seats, units with abilities of every kind, house rules
draws.py     how each command is drawn, so that a good share of them is legal; DRAWN has every command there is
walk.py      one table in motion: the time, who is here, everything that happened since it was made
holds.py     what holds after every step, and what is looked at every so often because it costs more
machine.py   many walks by hypothesis; a failing one is made as short as possible
__main__.py  `make soak`: as many steps as you like, and how often each command was accepted and refused
"""
