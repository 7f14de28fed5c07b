"""Thin adapters around `Env`."""
