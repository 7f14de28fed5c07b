"""Settings of XLA under which tests compile quickly, as far as the installed release knows them.

XLA aborts on a flag, and JAX refuses an option, that it does not know. So a release gets only what
was tried with it. No other test names a setting that comes and goes with releases.
"""

import importlib.metadata

RELEASE = ".".join(importlib.metadata.version("jaxlib").split(".")[:2])

UNSPLIT = "--xla_cpu_parallel_codegen_split_count=1" if RELEASE in ("0.10", "0.12") else ""
"""A program that is not split for several threads is less work; the workers use all cores."""

OLDER_FUSIONS = "--xla_cpu_use_fusion_emitters=false" if RELEASE == "0.10" else ""
"""The older way to emit fusions takes half as long. It rounds sums in an order that depends on the
size of a batch, so what is compared to the last digit between sizes cannot have it."""

NEWER_FUSIONS = {"xla_cpu_use_fusion_emitters": True} if RELEASE == "0.10" else {}
"""Option of `jax.jit` for what cannot have the older fusions in a process that has them."""
