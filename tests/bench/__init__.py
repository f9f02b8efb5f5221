"""Measurements: `make bench`. Ratios and medians count, digits belong to the machine they were taken on."""
