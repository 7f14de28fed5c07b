"""Reproductions of papers: what exists only to repeat one paper. Nothing else imports it."""

from jaxgames.internal.interrupts import end_quietly_while_starting

end_quietly_while_starting()
