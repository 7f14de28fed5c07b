"""Draws what `examples/ppo_selfplay.py` printed: `python docs/assets/make_learning_curve.py`."""

import pathlib
import re

from matplotlib.figure import Figure

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
_LINE = re.compile(r" *(?P<seconds>\d+) s, iteration \d+: (?P<score>[\d.]+)%")


def read(text: str) -> tuple[list[float], list[float]]:
    """Returns minutes and scores, from the lines that the program prints."""
    lines = [match for line in text.splitlines() if (match := _LINE.fullmatch(line))]
    return [int(m["seconds"]) / 60 for m in lines], [float(m["score"]) for m in lines]


def main(output: pathlib.Path, picture: pathlib.Path) -> None:
    """Writes the curve."""
    minutes, scores = read(output.read_text(encoding="utf-8"))
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(minutes, scores, marker="o")
    axes.axhline(90, color="grey", linestyle="dashed")
    axes.set_xlabel("minutes on two CPU cores")
    axes.set_ylabel("score against random play, %")
    axes.set_ylim(40, 101)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, metadata={"Date": None})


if __name__ == "__main__":
    main(EXAMPLES / "outputs" / "ppo_selfplay.txt", EXAMPLES / "figures" / "ppo_selfplay.svg")
