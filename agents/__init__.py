"""Programs in which agents meet people and each other.

Rooms from the top: `warm` (compiles ahead what the others need); `play` (the board in the browser
or on the terminal) and `clock` (games with a clock); `arena` (tournaments), `analyse` (positions)
and `opening_book` (building books); `terminal` (people who are asked for moves); `external`
(players in other processes); `command_line` (what every command shares).

Importing the package adds the players `human`, who is asked at the terminal, and `external`.
"""

from jaxgames.internal.interrupts import end_quietly_while_starting
from jaxgames.players import registry

end_quietly_while_starting()
registry.register("external", "agents.external.player:make_external")
registry.register("human", "agents.terminal.human:make_human")
