"""Programs that are traced once: exported, and kept on disk beside the compiled ones.

JAX's own cache keeps what the compiler made of a program, and needs the traced program to find it.
Tracing the rules of a large game takes longer than reading them back. `cached_jit.jit` stands where
`jax.jit` would, and keeps both.
"""
