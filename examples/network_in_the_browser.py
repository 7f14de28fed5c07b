"""A trained network in a page of your own, without a server that thinks: onnxruntime-web.

    python -m examples.network_in_the_browser site
    cd site && npm install onnxruntime-web && python -m http.server

The folder gets the network as ONNX, some positions of random games as the network observes them,
and a page of 60 lines that shows the most probable moves and the chance to win in each of them.
Needs the extra `export`.
"""

import argparse
import json
import pathlib
import shutil
from collections.abc import Sequence

import jax
import numpy as np

import jaxgames
from train.export.__main__ import export

PAGE = pathlib.Path(__file__).with_suffix(".html")


def main(arguments: Sequence[str] | None = None) -> pathlib.Path:
    """Writes the folder and returns it."""
    parser = argparse.ArgumentParser(description="A trained network in a page.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--game", default="onitama", help="whose network has a policy")
    parser.add_argument("--positions", type=int, default=12)
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    export(options.game, "onnx", options.folder / "network.onnx", replace=True)
    found = positions(jaxgames.make(options.game), options.positions)
    (options.folder / "positions.json").write_text(json.dumps(found))
    shutil.copyfile(PAGE, options.folder / "index.html")
    return options.folder


def positions(env: jaxgames.Env, count: int) -> list[dict]:
    """Returns positions of one random game: picture, moves by action, and what a network reads."""
    state, key = env.init(jax.random.key(0)), jax.random.key(1)
    found = []
    while len(found) < count and not state.terminated:
        planes = np.asarray(state.observation.astype(np.float32))
        moves = {
            action: env.in_words(text, env.chapter(state))
            for action, text in env.legal_moves(state).items()
        }
        picture = env.render(state).as_svg()
        found.append({"picture": picture, "moves": moves, "planes": planes.ravel().tolist()})
        key, drawn = jax.random.split(key)
        state = env.step(state, env.sample_action(state, drawn))
    return [{**one, "shape": planes.shape} for one in found]


if __name__ == "__main__":
    main()
