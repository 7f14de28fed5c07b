"""Compiles the device programs for TPUs and GPUs that are not there, and reports what they do."""
