"""Programs in which agents meet people and each other.

Importing the package adds the player `human`, who is asked at the terminal.
"""

from agents.interrupts import end_quietly_while_starting
from jaxgames.players import registry

end_quietly_while_starting()
registry.register("human", "agents.terminal.human:make_human")
