"""Tests of what ships Overseer: image, compose file, build."""
