"""Tests of the package server."""
