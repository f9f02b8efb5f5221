"""Faults on purpose, real ones, and the proof that nothing is lost, doubled or told in another order because of them."""
