"""What no user names: files, checks, messages, devices, settings of JAX."""
