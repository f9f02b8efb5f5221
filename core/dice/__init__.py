"""Dice: where faces come from, and what a pool of them means."""
