"""Learning loops. Runs from a checkout; not part of the wheel."""

from jaxgames.internal.interrupts import end_quietly_while_starting

end_quietly_while_starting()
