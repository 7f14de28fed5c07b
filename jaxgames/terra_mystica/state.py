"""The state of a game: board, players, common supply, turn, open choices.

Seats are player indices. `P` is the number of players. Everything that follows from these fields
(counts of structures, tiles left, stocks, reach, whose decision it is) is computed where needed.
"""

import enum
from typing import ClassVar, NamedTuple

from flax import struct
from jaxtyping import Array, Bool, Int16, UInt8, UInt16

NO_BRIDGE = 0
NO_CARD = 0
NO_FACTION = 14  # of a seat that has not chosen yet
# One turn builds at most two structures that opponents take power from: one in each of two actions
# (ACTC), or the halflings' stronghold and a dwelling on its spades.
MAX_LEECH_EVENTS = 2


class Used(enum.IntFlag):
    """Special actions that a player has used this round."""

    CARD = 1
    FAVOR = 2
    STRONGHOLD = 4


class Phase(enum.IntEnum):
    """The phases of a game; `decisions.py` says which decision is due within a phase."""

    FACTIONS = 0
    DWELLINGS = 1
    CARDS = 2
    ACTIONS = 3
    LEECH = 4  # opponents of `seat` decide about power
    REACTION = 5  # `seat`, the cultists, choose a cult step
    CULT_SPADES = 6  # players use the spades of the cult bonus, in turn order
    OVER = 7


class Spades(enum.IntEnum):
    """Where the spades of the current action come from; it decides how they may be used."""

    NONE = 0  # none free: the action buys what it needs
    SINGLE = 1  # for one hex, more may be bought (ACT5, BON1, ACTG)
    DOUBLE = 2  # for one hex, more may be bought; or for two hexes, none bought (ACT6)
    STRONGHOLD = 3  # for several hexes, none bought (halflings)
    BOUGHT = 4  # some of them are paid already (DIG): for one hex, cannot be given up
    CULT = 5  # for several hexes, none bought, no structure (cult bonus)


class Board(struct.PyTreeNode):
    """The map as sets of cells (`boards/hexes.py`). A structure is of the seat with its colour."""

    terrain: UInt16[Array, "7 9"]  # land hexes of each colour
    structures: UInt16[Array, "5 9"]  # hexes with each kind of structure
    in_town: UInt16[Array, "9"]  # structures that belong to a town
    skipped: UInt16[Array, "9"]  # river hexes across which mermaids have founded a town
    bridges: UInt8[Array, "P 3"]  # place of each bridge + 1, 0: not built


class PlayerStates(struct.PyTreeNode):
    """What each seat has."""

    faction: UInt8[Array, "P"]  # row of the faction table; NO_FACTION before it is chosen
    coins: UInt8[Array, "P"]
    workers: UInt8[Array, "P"]
    priests: UInt8[Array, "P"]
    bowls: UInt8[Array, "P 3"]  # power tokens in bowls I, II, III
    vp: Int16[Array, "P"]
    cults: UInt8[Array, "P 4"]  # levels on fire, water, earth, air
    keys: UInt8[Array, "P"]  # unused keys of towns
    ship: UInt8[Array, "P"]  # ship level, without the bonus card
    dig: UInt8[Array, "P"]  # dig level
    range: UInt8[Array, "P"]  # hexes that tunnels and carpets skip
    card: UInt8[Array, "P"]  # bonus card + 1, 0: none
    favors: UInt16[Array, "P"]  # bit for each favor tile
    towns: UInt8[Array, "P 8"]  # town tiles of each kind
    used: UInt8[Array, "P"]  # `Used`
    passed: Bool[Array, "P"]
    cult_spades: UInt8[Array, "P"]  # spades of the cult bonus not used yet


class Supply(struct.PyTreeNode):
    """Common tiles and boards."""

    spots: UInt8[Array, "4 4"]  # seat + 1 of the priest on each spot of each cult, 0: free
    card_coins: UInt8[Array, "10"]  # coins on each bonus card
    cards: UInt16[Array, ""]  # bit for each bonus card in play
    scoring: UInt8[Array, "6"]  # scoring tile of each round
    power_actions: UInt8[Array, ""]  # bit for each power action taken this round


class Pending(struct.PyTreeNode):
    """Open choices of the seat whose turn it is."""

    actions: UInt8[Array, ""]  # full actions left in this turn
    spades: UInt8[Array, ""]  # spades to be used
    source: UInt8[Array, ""]  # `Spades` of the current action
    is_elsewhere: Bool[Array, ""]  # a free spade of this action left a hex at a foreign colour
    has_terraformed: Bool[Array, ""]  # a hex was terraformed in this action
    tunnelled: UInt8[Array, ""]  # hex + 1 that this action has paid a tunnel or carpet to, 0: none
    buildable: UInt16[Array, "9"]  # hexes turned to the home terrain in this action
    favors: UInt8[Array, ""]  # favor tiles to choose
    towns: UInt8[Array, ""]  # town tiles to choose
    cult_steps: UInt8[Array, ""]  # steps on a cult of choice
    bridges: UInt8[Array, ""]  # bridges to place
    priests: UInt8[Array, ""]  # workers that may become priests
    special: UInt8[Array, ""]  # sandstorm, ride or free trading post to carry out (`Special`)
    refused: UInt8[Array, ""]  # bit for each cult whose step to the top waits for a key


class Leech(struct.PyTreeNode):
    """Power that the structures of the current turn offer to the opponents of `seat`."""

    amounts: UInt8[Array, "2 P"]  # power offered to each seat in each event, 0: decided
    was_taken: Bool[Array, ""]
    was_declined: Bool[Array, ""]


class TerraMysticaState(struct.PyTreeNode):
    """A game of Terra Mystica."""

    printed: ClassVar[str] = "jaxgames.terra_mystica.text.position_text:state_to_text"

    board: Board
    players: PlayerStates
    supply: Supply
    pending: Pending
    leech: Leech
    phase: UInt8[Array, ""]  # `Phase`
    round: UInt8[Array, ""]  # 0..5; 6 after the end
    seat: UInt8[Array, ""]  # seat whose turn it is
    placed: UInt8[Array, ""]  # decisions of the current set-up phase made so far
    order: UInt8[Array, "P"]  # seats in turn order; with `turn_order="passing"` the running list
    next_start: UInt8[Array, ""]  # first seat that passed this round, P: none yet


class Options(NamedTuple):
    """The rules that a game follows where they differ; static."""

    players: int
    passing_order: bool
    cultists_errata: bool
    mini_towns: bool
    post_conversions: bool
    auto_end: bool
