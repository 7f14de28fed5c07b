"""Options of `python -m agents.warm`."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class WarmConfig:
    """Compiles ahead what the page, an analysis and the player `best` need.

    They start at once afterwards. What was compiled before is found again and takes a moment.
    """

    games: tuple[str, ...] = ()
    """Ids of games; without any, all of them."""
    env_options: str = ""
    """Options of one game, for instance "num_players=3"; several are separated by commas."""

    def __post_init__(self) -> None:
        """Checks that options belong to one game."""
        if self.env_options and len(self.games) != 1:
            raise ValueError(f"env_options are those of one game, got games {self.games}")
