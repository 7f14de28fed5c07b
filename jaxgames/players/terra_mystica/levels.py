"""The levels of Terra Mystica: no search, then noise on the values that the network gives."""

from jaxgames.players.plugs import Level

NETWORKS = {
    2: "terra_mystica",
    3: "terra_mystica_3",
    4: "terra_mystica_4",
    5: "terra_mystica_5",
}
_NOISES = (0.11, 0.075, 0.05, 0.035)


def of_network(network: str) -> tuple[Level, ...]:
    """Returns the levels for the network of a number of seats."""
    player = f"afterstate:network={network}"
    return (
        *(Level((f"{player},noise={noise}",)) for noise in _NOISES),
        Level((player,)),
        Level(("best",)),
    )
