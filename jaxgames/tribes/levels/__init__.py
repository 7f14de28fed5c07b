"""Levels of Tribes: generation on the host and on the device, and files."""
