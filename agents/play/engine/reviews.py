"""Reviews of the lines of games: every position is analysed, and every move judged."""

from collections.abc import Callable
from typing import Any

import jax

from agents.play.engine.preparation import Preparation
from agents.play.session import kept_reviews
from agents.play.session.game_tree import Reviewed
from agents.play.session.session import GameSession, Search
from jaxgames.analysis.review import Reviewer
from jaxgames.env import Env
from jaxgames.internal.messages import title
from jaxgames.players.player import Player

Report = Callable[[int, int], None]
"""Is told how many positions of how many have been analysed."""


class Reviews:
    """The reviews in the games of one environment."""

    def __init__(self, env: Env[Any], preparation: Preparation) -> None:
        self._env = env
        self._preparation = preparation
        self._prepared: set[str] = set()

    def review(
        self, session: GameSession, search: Search, player: Player, numbers: list[int], tell: Report
    ) -> bool:
        """Reviews a line, as long as the session keeps the search; returns whether it was finished.

        Analyses that the same player has made before are kept.

        Args:
            session: the game.
            search: the search that a page has asked for.
            player: the player that judges.
            numbers: the positions of the line, each after the one before.
            tell: is told of the progress.

        Raises:
            ValueError: if the player gives no values.
        """
        tree = session.tree
        with session.lock:
            if session.analysis is not search or not tree.nodes.keys() >= set(numbers):
                return False
            reviewer = Reviewer(self._env, player, key=jax.random.key(tree.seed))
            by = Reviewed(player.name, reviewer.unit)
            if tree.reviewed != by:
                for known in tree.nodes.values():
                    known.analysis = known.reviewed = None
                tree.reviewed = by
            states = [tree.state(number) for number in numbers]
            actions = [tree.nodes[number].action for number in numbers[1:]]
            analyses = {at: tree.nodes[number].analysis for at, number in enumerate(numbers)}
        missing = [at for at in analyses if analyses[at] is None]
        total = len(missing)
        tell(0, total)
        found = reviewer.analyses([states[at] for at in missing])
        for done, (at, analysis) in enumerate(self._preparing(player.name, found), start=1):
            shown = analyses[missing[at]] = kept_reviews.shortened(analysis)
            with session.lock:
                node = tree.nodes.get(numbers[missing[at]])
                if session.analysis is not search or node is None:
                    return False
                node.analysis, node.values = shown, shown.values
            tell(done, total)
        moves = reviewer.moves(states, actions, [analyses[at] for at in range(len(numbers))])
        with session.lock:
            if session.analysis is not search or not tree.nodes.keys() >= set(numbers):
                return False
            for number, move in zip(numbers[1:], moves, strict=True):
                tree.nodes[number].reviewed = move
        return True

    def _preparing(self, name: str, found: Any) -> Any:
        """Yields what is found; shows that the first one waits for a program to be compiled."""
        if name not in self._prepared:
            game = title(self._env.id)
            words, purpose = f"the review of {game}", f"the review by {name} of {game}"
            with self._preparation.step(self._env.id, f"review by {name}", words, purpose):
                first = next(found, None)
            self._prepared.add(name)
            if first is None:
                return
            yield first
        yield from found
