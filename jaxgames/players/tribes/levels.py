"""The levels of Tribes: noise on the values that the network gives; without it, shorter plans.

With noise of a scale, actions are drawn by their values: the further an action is behind the best
one, the more seldom it is played.
"""

from jaxgames.players.plugs import Level

_NOISES = (0.5, 0.107, 0.052, 0.029)
_PLANS = ("greedy", "rhea:budget=50", "rhea:budget=200", "rhea:budget=600")
WITH_NETWORK = (
    *(
        Level((f"afterstate:network=tribes,noise={noise}", plan))
        for noise, plan in zip(_NOISES, _PLANS, strict=True)
    ),
    Level(("best",)),
)
WITHOUT_NETWORK = (*(Level((plan,)) for plan in _PLANS), Level(("best",)))
