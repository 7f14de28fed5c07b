"""The situation in words: whose decision is due and what it is about."""

from jaxgames.terra_mystica.render.table import TableView
from jaxgames.terra_mystica.state import Phase
from jaxgames.terra_mystica.tables.factions import Special
from jaxgames.terra_mystica.tables.terrain import LAND_NAMES

_WHAT = {
    Phase.FACTIONS: "choose a faction",
    Phase.DWELLINGS: "place a first dwelling",
    Phase.CARDS: "choose a bonus card",
    Phase.REACTION: "take a cult step, as an opponent took power",
}
_SPECIALS = {
    Special.SANDSTORM: "turn a neighbouring hex to desert",
    Special.TRADING_POST: "upgrade a dwelling for free",
    Special.RIDE: "place a dwelling on any forest",
}


def decision(table: TableView) -> str:
    """Returns the task of the seat that decides next; after the end, the winner."""
    phase, seat = Phase(int(table.game.phase)), table.decider
    if seat is None:
        return _result(table)
    if phase == Phase.LEECH:
        power = table.offered_power
        what = f"take {power} power for {power - 1} VP, or decline"
    elif phase == Phase.CULT_SPADES:
        number = int(table.game.players.cult_spades[seat])
        what = f"use {_count(number, 'spade')} of the cult bonus"
    elif phase == Phase.ACTIONS:
        what = _action(table)
    else:
        what = _WHAT[phase]
    return f"{table.name(seat)}: {what}"


def _count(number: int, name: str) -> str:
    return f"{number} {name}s" if number > 1 else f"a {name}"


def _action(table: TableView) -> str:
    game, pending = table.game, table.game.pending
    choices = [
        f"{verb} {_count(int(number), name)}"
        for verb, number, name in (
            ("choose", pending.favors, "favor tile"),
            ("choose", pending.towns, "town tile"),
            ("take", pending.cult_steps, "cult step"),
            ("place", pending.bridges, "bridge"),
            ("use", pending.spades, "spade"),
        )
        if number
    ]
    if pending.refused and game.players.keys[game.seat]:
        choices.append("choose the cult to complete with a key")
    if pending.priests:
        choices.append(f"turn up to {_count(int(pending.priests), 'worker')} into priests")
    if pending.special:
        choices.append(_SPECIALS[Special(int(pending.special))])
    if table.buildable:
        names = " or ".join(LAND_NAMES[hex_] for hex_ in table.buildable)
        choices.append(f"build on {names}")
    if not choices:
        actions = int(pending.actions)
        choices = [("convert or end the turn", "take an action", "take two actions")[actions]]
    return ", ".join(choices)


def _result(table: TableView) -> str:
    points = table.game.players.vp.tolist()
    best = max(points)
    winners = [table.name(seat) for seat, vp in enumerate(points) if vp == best]
    verb = "win" if len(winners) == 1 else "share the win"
    return f"{' and '.join(winners)} {verb} with {best} VP"
