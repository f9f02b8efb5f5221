"""The real Valkey, and short ways to say what is committed."""

from tests.helpers.valkey import store, valkey, valkey_server

__all__ = ["store", "valkey", "valkey_server"]
