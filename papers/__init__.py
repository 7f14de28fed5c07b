"""Reproductions of papers: what exists only to repeat one paper. Nothing else imports it."""
