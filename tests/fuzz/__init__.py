"""Frames that nobody should send: a million of them, and what must come back."""
