"""The Overseer server: sockets, store, seats and commands, put together from `core` and `protocol`."""
