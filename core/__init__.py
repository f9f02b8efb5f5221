"""The rules of the game, as values and pure functions: no sockets, no store, no clock, standard library only."""
