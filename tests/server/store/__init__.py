"""Tests of the store, against the real Valkey."""
