"""The levels of Tribes: noise on the values that the network gives; without it, shorter plans.

With noise of a scale, actions are drawn by their values: the further an action is behind the best
one, the more seldom it is played.
"""

from jaxgames.players.plugs import Level

_NOISES = (0.5, 0.107, 0.052, 0.029)
_PLANS = ("greedy", "rhea:budget=50", "rhea:budget=200", "rhea:budget=600")
_SCORES = (None, 0.85, 0.85, 0.733)
WITH_NETWORK = (
    *(
        Level((f"afterstate:network=tribes,noise={noise}", plan), score)
        for noise, plan, score in zip(_NOISES, _PLANS, _SCORES, strict=True)
    ),
    Level(("best",), 0.817),
)
WITHOUT_NETWORK = (*(Level((plan,)) for plan in _PLANS), Level(("best",)))
