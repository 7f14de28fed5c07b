"""The commands that play a tournament, and that play recorded games again."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

from agents.arena import formats, tables, tournament
from configs.tournament import ReplayConfig, TournamentConfig
from jaxgames import records
from jaxgames.internal import files


def run(config: TournamentConfig) -> None:
    """Plays, prints the tables and draws the pictures."""
    tournament.use_cpu_devices(config)
    console = Console()
    check_plots(config)
    columns = ("pairings", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # A bar that moves would disturb the questions to a person.
    has_bar = console.is_terminal and not any(spec.startswith("human") for spec in config.agents)
    total = formats.num_pairings(config.format, len(config.agents))
    with Progress(*columns, console=console, transient=True, disable=not has_bar) as progress:
        bar = progress.add_task("", total=total)

        def report(pairing: tournament.Pairing) -> None:
            console.print(tables.pairing_line(pairing), soft_wrap=True, highlight=False)
            progress.advance(bar)

        result = tournament.run(config, report)
    if config.format == "knockout":
        console.print(tables.bracket_table(result))
    console.print(tables.standings_table(result, config.anchor, config.k_factor))
    if len(config.agents) > 2:
        console.print(*tables.matrix_tables(result), sep="\n")
    for name, path in (("results", config.output), ("games", config.save_games)):
        if path:
            console.print(f"{name}: {path}", soft_wrap=True)
    if config.plot:
        from agents.arena.plots import plot_matrices  # Matplotlib takes a second to import

        for path in config.plot:
            plot_matrices(result, path)
            console.print(f"picture: {path}", soft_wrap=True)


def replay(config: ReplayConfig) -> None:
    """Plays the games of a file again; prints one of them if asked to."""
    games = records.read(config.file)
    if config.show is not None and config.show > len(games):
        raise ValueError(f"show must be from 1 to {len(games)}, got {config.show}")
    for number, game in enumerate(games, start=1):
        try:
            env = records.make_env(game)
            positions = [env.state_to_text(state) for state in records.positions(env, game)]
        except ValueError as error:
            raise ValueError(f"game {number}: {error}") from error
        if number == config.show:
            print(" v ".join(map(str, game.seats)))
            moves = (*(move.text for move in game.moves), "")
            for position, move in zip(positions, moves, strict=True):
                print(f"{position}  {move}".rstrip())
            print("returns:", *(game.returns or ("none yet",)))
    played = ", ".join(sorted({game.game for game in games}))
    print(f"{len(games)} games of {played}: moves, results and final positions agree")


def check_plots(config: TournamentConfig) -> None:
    """Raises a `ValueError` now for a picture that could not be written after the games."""
    for path in config.plot:
        if path.suffix.lower() not in (".png", ".svg", ".pdf"):
            raise ValueError(f"plot must end in .png, .svg or .pdf, got {path}")
        files.check_writable("plot", path)
