"""`python -m agents.arena --agents random minimax:depth=2`: a round robin and its table."""

import sys

import tyro

from configs.tournament import TournamentConfig


def main() -> int:
    """Runs the tournament of the command line; returns the exit code, 2 for bad input."""
    try:
        return run(tyro.cli(TournamentConfig, prog="python -m agents.arena"))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def run(config: TournamentConfig) -> int:
    """Plays, prints the table and draws the picture."""
    # Imported here, since they import jax: the help text and errors in options come at once.
    from rich.console import Console

    from agents.arena import tables, tournament

    console = Console()
    check_plot(config)

    def report(pairing: tournament.Pairing) -> None:
        console.print(tables.pairing_line(pairing), soft_wrap=True, highlight=False)

    result = tournament.run(config, report)
    console.print(tables.standings_table(result, config.anchor))
    if len(config.agents) > 2:
        console.print(tables.score_table(result))
    if config.output:
        console.print(f"results: {config.output}", soft_wrap=True)
    if config.plot:
        from agents.arena.plots import plot_scores

        plot_scores(result, config.plot)
        console.print(f"picture: {config.plot}", soft_wrap=True)
    return 0


def check_plot(config: TournamentConfig) -> None:
    """Raises a `ValueError` now for a picture that could not be written after the games."""
    if config.plot is None:
        return
    if config.plot.suffix not in (".png", ".svg", ".pdf"):
        raise ValueError(f"plot must end in .png, .svg or .pdf, got {config.plot}")
    if not config.plot.parent.is_dir():
        raise ValueError(f"plot: there is no directory {config.plot.parent}")


if __name__ == "__main__":
    sys.exit(main())
