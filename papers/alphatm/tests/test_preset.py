"""The preset of AlphaTM: its network is the paper's, and every class of devices has one."""

import pytest

from configs import presets
from papers.alphatm.preset import PRESETS

GAME = "terra_mystica_alphatm"


@pytest.mark.parametrize("device_class", PRESETS)
def test_every_preset_is_valid_and_has_the_network_of_the_paper(device_class):
    config = presets.preset("alphazero", GAME, device_class)
    assert (config.game, config.preset) == (GAME, device_class)
    assert config.replay_capacity >= config.replay.capacity
    assert config.network.tower == "alphatm"


def test_sizes_of_the_paper_are_those_of_an_accelerator():
    config = presets.preset("alphazero", GAME, "accelerator")
    assert (config.network.blocks, config.network.channels) == (19, 256)
    assert (config.selfplay.search, config.selfplay.simulations) == ("puct", 800)
    assert config.learner.search_value_share == 0
