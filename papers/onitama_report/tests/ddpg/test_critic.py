"""The report's critic: its layers at full size."""

import jax
import jax.numpy as jnp

import jaxgames
from jaxgames.networks.network import count_parameters
from papers.onitama_report.config import NetworkConfig
from papers.onitama_report.ddpg.critic import make_critic
from papers.onitama_report.tests.ddpg.layer_sizes import CONVOLUTIONS, dense

ENV = jaxgames.make("onitama_report")
KEY = jax.random.key(0)


def test_critic_of_full_size_sees_the_action_beside_board_and_cards():
    network = make_critic(ENV, NetworkConfig())
    shapes = jax.eval_shape(network.init, KEY)
    inputs = dense(10, 10) + dense(40, 40) + dense(178, 256)
    assert count_parameters(shapes) == CONVOLUTIONS + inputs + dense(256, 256) + dense(256, 1)
    board = jax.ShapeDtypeStruct((3, 10, 5, 5), jnp.float32)
    values = jax.eval_shape(network.apply, shapes, board, jnp.zeros((3, 10)), jnp.zeros((3, 40)))
    assert values.shape == (3,)
