"""The networks that come with the library."""

import hashlib
import re

import numpy as np
import pytest

import jaxgames
from jaxgames.networks import network_files, shipped
from jaxgames.players import registry

NAMES = shipped.available_pretrained()
README = (shipped.FOLDER / "README.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \|.* `([0-9a-f]{64})` \|$", README, re.MULTILINE))


def test_the_readme_lists_every_network_and_no_other():
    assert sorted(ROWS) == sorted(NAMES) and NAMES


@pytest.mark.parametrize("name", NAMES)
def test_file_is_small_and_the_one_of_the_readme(name):
    content = shipped.pretrained_file(name).read_bytes()
    assert len(content) <= 1_000_000
    assert hashlib.sha256(content).hexdigest() == ROWS[name]


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_single_precision_and_of_the_present_version_of_the_game(name):
    params, meta = jaxgames.pretrained(name)
    arrays = network_files.flatten(params)
    assert all(x.dtype == np.float32 and np.isfinite(x).all() for x in arrays.values())
    env = registry.make_env(meta["game"], meta["env_options"])
    assert meta["game_version"] == env.version


def test_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'terra_mystica'"):
        jaxgames.pretrained("terra_mistica")
