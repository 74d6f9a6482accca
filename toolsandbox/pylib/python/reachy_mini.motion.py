"""Moves."""
__path__ = []
