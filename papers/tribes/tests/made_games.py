"""Made games of the study of Tribes. Shared by its tests."""

import numpy as np

from papers.tribes.study import games


def made(first, second, start=0, wins=2, turns=None):
    """Returns a batch of four games (two groups), of which the first player wins some."""
    ranks = [[1, 2]] * wins + [[2, 1]] * (4 - wins)
    features = {name: [[3.0, 1.0], [5.0, 1.0]] * 2 for name in games.FEATURES}
    return games.Batch(first, second, start, 1.0, features | {"rank": ranks}, turns)


def counted(turns):
    """Returns the counts of a game in which both players decide alike in so many turns."""
    found = np.zeros((2, 51, 3))
    found[:, :turns] = [4, 40, 4.0]
    found[0, 30:turns] = [10, 1000, 20.0]
    return found.tolist()
