"""The situation in words: the turn, and the decision that is due."""

from jaxgames.tribes.render.scene import Scene


def heading(scene: Scene) -> str:
    """Returns the turn and the mode."""
    mode = "Score" if scene.rules.config.by_score else "Capitals"
    last = int(scene.rules.config.last_tick)
    tick = "Game over" if scene.known.over else f"Tick {int(scene.known.tick)} of {last}"
    view = "" if scene.seat is None else f" · seen by {scene.name(scene.seat)}"
    return f"{tick} · {mode}{view}"


def decision(scene: Scene) -> str:
    """Returns the task of the tribe to move; after the end, the winner."""
    if scene.known.over:
        first = scene.known.tribes.score.tolist()
        winner = scene.known.ranking.tolist().index(0)
        return f"{scene.name(winner)} wins with {first[winner]:,} points"
    return f"{scene.name(scene.active)}: {_task(scene)}"


def _task(scene: Scene) -> str:
    if scene.selected is not None:
        return f"choose what to do on {scene.tile_name(scene.selected)}"
    if scene.growing is not None:
        return f"choose how {scene.tile_name(scene.growing)} grows"
    return "take an action"
