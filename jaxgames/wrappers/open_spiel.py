"""Games for OpenSpiel, and any agent as one of its bots.

    import pyspiel
    from jaxgames.wrappers import open_spiel  # registers "jaxgames_onitama" and the other games

    game = pyspiel.load_game("jaxgames_onitama")
    bot = open_spiel.AgentBot(game, my_agent)

Chance is part of the history, as OpenSpiel wants it: the set-up of a game is drawn by a first
chance node, and in games with chance one more follows each ply. Such a node has `chance_outcomes`
equally likely outcomes, which are seeds. So the numbers of a history replay a game exactly.
"""

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
from jaxtyping import PRNGKeyArray

import jaxgames
from jaxgames.boards.packed_planes import as_floats
from jaxgames.env import Env
from jaxgames.internal.messages import title, unknown
from jaxgames.internal.program_cache import cached_jit
from jaxgames.search.agent import Agent
from jaxgames.state import State

PREFIX = "jaxgames_"
CHANCE_OUTCOMES = 64
MOST_PLAYERS = 10  # of any game; the rules say how many a game takes


class OpenSpielGame(pyspiel.Game):
    """A game as OpenSpiel knows it. Each registered game is a subclass with its id."""

    env_id: ClassVar[str]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        options = dict(params or {})
        self.chance_outcomes: int = options.pop("chance_outcomes", CHANCE_OUTCOMES)
        if self.chance_outcomes < 1:
            raise ValueError(f"chance_outcomes must be at least 1, got {self.chance_outcomes}")
        options = {name: _with_commas(value) for name, value in options.items()}
        self.env = jaxgames.make(self.env_id, **options)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.env.num_actions,
            max_chance_outcomes=self.chance_outcomes,
            num_players=self.env.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if self.env.num_players == 2 else None,
            max_game_length=self.env.max_steps,
        )
        super().__init__(_game_type(self.env), info, params or {})
        self.observe = jax.jit(lambda state, seat: as_floats(self.env.observe(state, seat)))

    def new_initial_state(self, state: Any = None) -> "OpenSpielState":
        """Returns the state before the set-up of a game, which is a chance node."""
        if state is not None:
            raise ValueError("a game begins with its set-up; got a state to begin with")
        return OpenSpielState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: dict[str, Any] | None = None
    ) -> "Observer":
        """Returns an observer of positions, from the point of view of a seat."""
        del iig_obs_type
        if params:
            raise ValueError(f"observers take no parameters, got {params!r}")
        return Observer(self.env)

    def max_chance_nodes_in_history(self) -> int:
        """Returns the number of chance nodes in the longest game."""
        return 1 + (self.env.max_steps if self.env.rules.stochastic else 0)


class OpenSpielState(pyspiel.State):
    """A position, or a chance node before one."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self._game = game
        self._env = game.env
        self.position: State | None = None
        """The position; None before the set-up of the game."""
        self._action: int | None = None  # an action whose chance is to be drawn
        self._draws = 0

    def current_player(self) -> int:
        """Returns the seat to move, or OpenSpiel's number for chance or for the end."""
        if self.position is None or self._action is not None:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(self.position.current_player)

    def is_terminal(self) -> bool:
        """Returns whether the game is over, or cut off."""
        position = self.position
        return position is not None and bool(position.terminated | position.truncated)

    def returns(self) -> list[float]:
        """Returns the outcome of each seat; zeros before the end and if the game was cut off."""
        if self.position is None:
            return [0.0] * self._env.num_players
        outcome: list[float] = np.asarray(self.position.rewards).tolist()
        return outcome

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the seeds of the next random draw, all equally likely."""
        number = self._game.chance_outcomes
        return [(seed, 1.0 / number) for seed in range(number)]

    def _legal_actions(self, player: int) -> list[int]:
        del player
        assert self.position is not None
        legal: list[int] = np.flatnonzero(np.asarray(self.position.legal_action_mask)).tolist()
        return legal

    def _apply_action(self, action: int) -> None:
        is_stochastic = self._env.rules.stochastic
        if self.position is None:
            self.position = self._env.init(self._drawn_key(action))
        elif self._action is not None:
            key = self._drawn_key(action)
            self.position = self._env.step(self.position, jnp.int32(self._action), key)
            self._action = None
        elif is_stochastic:
            self._action = action
        else:
            self.position = self._env.step(self.position, jnp.int32(action))

    def _drawn_key(self, seed: int) -> PRNGKeyArray:
        key = jax.random.fold_in(jax.random.key(self._draws), seed)
        self._draws += 1
        return key

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE or self.position is None:
            return f"seed {action}"
        if not self.position.legal_action_mask[action]:
            return f"action {action}"
        return self._env.action_to_text(self.position, action)

    def __str__(self) -> str:
        if self.position is None:
            return "before the set-up"
        text = self._env.state_to_text(self.position)
        return text if self._action is None else f"{text}, chance of action {self._action}"


class Observer:
    """What a seat may know of a position, as one vector and as the arrays that it consists of."""

    def __init__(self, env: Env) -> None:
        self._env = env
        leaves, _ = jax.tree.flatten_with_path(
            env.observation_shape, is_leaf=lambda x: type(x) is tuple
        )
        named = {_name(path): shape for path, shape in leaves}
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in named.values()), np.float32)
        """All arrays, flat, one after the other."""
        self.dict: dict[str, np.ndarray] = {}
        """Views of the parts of `tensor`, by name."""
        start = 0
        for name, shape in named.items():
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + size].reshape(shape)
            start += size

    def __reduce__(self) -> tuple[Any, ...]:
        return Observer, (self._env,), self.tensor

    def __setstate__(self, tensor: np.ndarray) -> None:
        self.tensor[...] = tensor  # in place: the parts in `dict` are views of it

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Writes what a seat may know into `tensor`; zeros before the set-up."""
        if state.position is None:
            self.tensor.fill(0)
            return
        observed = state.get_game().observe(state.position, np.int32(player))
        for part, array in zip(self.dict.values(), jax.tree.leaves(observed), strict=True):
            part[...] = np.asarray(array)

    def string_from(self, state: OpenSpielState, player: int) -> str | None:
        """Returns the text of the position; None where a seat may not know all of it."""
        del player
        return str(state) if self._env.rules.perfect_information else None


class AgentBot(pyspiel.Bot):
    """An agent as a bot, with its memory of the game.

    Args:
        game: a game of this module.
        agent: an agent (`search.Agent`) of that game.
        params: the parameters of the agent's evaluator.
        seed: seed of the agent's random choices.
    """

    def __init__(self, game: OpenSpielGame, agent: Agent, params: Any = (), seed: int = 0) -> None:
        super().__init__()
        if not isinstance(game, OpenSpielGame):
            raise ValueError(f"expected a game of jaxgames.wrappers.open_spiel, got {game!r}")
        if not (hasattr(agent, "act") and hasattr(agent, "reset")):
            raise ValueError(f"expected an agent (jaxgames.search.Agent), got {agent!r}")
        self._game = game
        self._agent = agent
        self._params = params
        self._act = cached_jit.jit(agent.act)
        self._key = jax.random.key(seed)
        self._memory = agent.reset(1)

    def __reduce__(self) -> tuple[Any, ...]:
        made_of = self._game, self._agent, self._params
        return AgentBot, made_of, {"_key": self._key, "_memory": self._memory}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def step(self, state: OpenSpielState) -> int:
        """Returns the agent's action."""
        assert state.position is not None
        self._key, key = jax.random.split(self._key)
        games = jax.tree.map(lambda array: jnp.asarray(array)[None], state.position.game)
        decision, self._memory = self._act(self._params, self._memory, games, key)
        return int(decision.action[0])

    def restart(self) -> None:
        """Forgets the game."""
        self._memory = self._agent.reset(1)

    def restart_at(self, state: OpenSpielState) -> None:
        """Forgets the game; the next one may begin anywhere."""
        del state
        self.restart()

    def inform_action(self, state: OpenSpielState, player_id: int, action: int) -> None:
        """Does nothing: an agent sees the whole position when it is to move."""


def make(game: str, **options: Any) -> OpenSpielGame:
    """Returns a game as OpenSpiel knows it.

    Args:
        game: the id of a game.
        **options: `chance_outcomes`, and options of the game that are numbers, texts or switches.

    Raises:
        ValueError: for an unknown id or option, or an option of another kind.
    """
    if not isinstance(game, str):
        raise ValueError(f"expected the id of a game, got {game!r}")
    if game not in jaxgames.available():
        raise ValueError(unknown("environment", game, jaxgames.available()))
    known = _parameters(jaxgames.make(game))
    for name in options:
        if name not in known:
            raise ValueError(f"{game} in OpenSpiel: " + unknown("option", name, tuple(known)))
        if type(options[name]) is not type(known[name]):
            raise ValueError(
                f"{game} in OpenSpiel: option {name} is of type {type(known[name]).__name__}, "
                f"got {options[name]!r}"
            )
    parameters = {name: _without_commas(value) for name, value in options.items()}
    made: OpenSpielGame = pyspiel.load_game(PREFIX + game, parameters)
    return made


def _parameters(env: Env) -> dict[str, Any]:
    """Returns the parameters of a game with their defaults: options of simple types."""
    parameters: dict[str, Any] = {"chance_outcomes": CHANCE_OUTCOMES}
    rules: Any = env.rules  # a dataclass, which the protocol does not say
    for field in dataclasses.fields(rules):
        if field.init and isinstance(field.default, bool | int | float | str):
            parameters[field.name] = _without_commas(field.default)
    return parameters


def _without_commas(value: Any) -> Any:
    """Returns the value of a parameter as OpenSpiel writes it, which splits texts at commas."""
    return value.replace(",", ";") if isinstance(value, str) else value


def _with_commas(value: Any) -> Any:
    """Returns the value of an option from that of a parameter: the inverse."""
    return value.replace(";", ",") if isinstance(value, str) else value


def _numbers_of_players(env: Env) -> list[int]:
    if "num_players" not in _parameters(env):
        return [env.num_players]
    found = []
    for number in range(1, MOST_PLAYERS + 1):
        try:
            jaxgames.make(env.id, num_players=number)
        except ValueError:
            continue
        found.append(number)
    return found


def _game_type(env: Env) -> pyspiel.GameType:
    information = pyspiel.GameType.Information
    is_perfect = env.rules.perfect_information
    players = _numbers_of_players(env)
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=PREFIX + env.id,
        long_name=title(env.id),
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=(
            information.PERFECT_INFORMATION if is_perfect else information.IMPERFECT_INFORMATION
        ),
        utility=utility.ZERO_SUM if env.num_players == 2 else utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=players[-1],
        min_num_players=players[0],
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=is_perfect,
        provides_observation_tensor=True,
        parameter_specification=_parameters(env),
    )


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path).strip(".[]'") or "observation"


def _register_all() -> None:
    for env_id in jaxgames.available():
        # OpenSpiel drops what it has registered after the end of the interpreter, which a class
        # survives (it refers to itself), but no other function. A pickle looks it up by its name.
        kind = type(f"OpenSpielGame_{env_id}", (OpenSpielGame,), {"env_id": env_id})
        kind.__module__ = __name__
        globals()[kind.__name__] = kind
        pyspiel.register_game(_game_type(jaxgames.make(env_id)), kind)


_register_all()
