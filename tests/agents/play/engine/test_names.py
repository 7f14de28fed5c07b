"""Names of players for people."""

from agents.play.engine.names import name_of, names_of
from jaxgames.players import registry


def test_names_say_who_plays_without_a_spec():
    assert name_of("level:number=3") == "Level 3"
    assert name_of("gumbel:network=onitama,simulations=256") == "Gumbel search"
    assert name_of("best") == "Best"
    for agent in registry.available():
        name = name_of(agent)
        assert name and name[0].isupper() and "_" not in name and ":" not in name


def test_the_person_who_reads_is_you():
    assert names_of(["human", "best"], None) == ["You", "Best"]
    assert names_of(["human", "human"], None) == ["A person", "A person"]
    assert names_of(["human", "human", "best"], 1) == ["A person", "You", "Best"]
    assert names_of(["best", "random"], 0) == ["Best", "Random player"], "no person sits there"
