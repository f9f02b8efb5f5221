"""Whole evenings: real servers, real sockets, real clients."""
