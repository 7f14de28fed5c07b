"""Games of matches as records (`jaxgames.records`)."""

from collections.abc import Mapping
from typing import Any

import jax

from jaxgames import records
from jaxgames.env import Env
from jaxgames.matches.match_loop import MatchResult
from jaxgames.players.stand_ins import stands_for
from jaxgames.records import Record


def check_game(env: Env[Any], option: str = "save_games") -> None:
    """Raises a `ValueError`, which names the option, if games cannot be written."""
    if env.notation is None:
        raise ValueError(f"{option}: {env.id} has no notation")


def of_match(
    env: Env[Any],
    names: tuple[str, ...],
    result: MatchResult,
    tags: Mapping[str, Any],
    count: int | None = None,
) -> list[Record]:
    """Returns the first games of a match that was played with `record=True`.

    Args:
        env: the game.
        names: the agents.
        result: the match.
        tags: the tags of each record; `number`, the number of the game, is added.
        count: the most games; None: all.
    """
    assert result.record is not None
    names = tuple(stands_for(name, env) for name in names)
    starts, actions, keys = jax.device_get(result.record)
    described = []
    for number, plies in enumerate(result.plies[:count].tolist()):
        group = number // len(names)
        start = jax.tree.map(lambda x, group=group: x[group], starts)
        seats = result.seats[number].tolist()
        described.append(
            records.from_actions(
                env,
                env.wrap(start),
                actions[number][:plies].tolist(),
                [names[seats.index(seat)] for seat in range(len(names))],
                keys=[jax.random.wrap_key_data(words) for words in keys[number][:plies]] or None,
                tags={**tags, "number": number},
            )
        )
    return described
