"""What is told of a long compilation: what it is for, about how long it takes, and once."""

import threading

import pytest

from jaxgames.internal import compilation_cache
from jaxgames.internal.compilation_cache import Purpose, expect, purpose

LOWERED = "/jax/core/compile/jaxpr_to_mlir_module_duration"
COMPILED = "/jax/core/compile/backend_compile_duration"


@pytest.fixture
def compile_for(monkeypatch):
    """Lets a program be compiled that takes long, if `is_long`."""
    announcer = compilation_cache._Announcer()
    begun = []

    class Timer:
        daemon = False

        def __init__(self, seconds, function, arguments):
            self.go_off = lambda: function(*arguments)
            begun.append(self)

        def start(self):
            pass

        def cancel(self):
            self.go_off = lambda: None

    monkeypatch.setattr(threading, "Timer", Timer)

    def run(name, is_long=True):
        announcer(LOWERED, 0.1, fun_name=name)
        if is_long:
            begun[-1].go_off()
        announcer(COMPILED, 9.0)
        begun[-1].go_off()

    return run


def test_a_long_compilation_is_told_once_by_its_purpose(compile_for, capsys):
    with purpose("self-play of Onitama"):
        compile_for("_advance", is_long=False)
        assert capsys.readouterr().err == ""
        expect(58.0)
        expect(1.0)  # too short to be told
        compile_for("_advance")
        assert capsys.readouterr().err.startswith("compiling self-play of Onitama, about 60 s")
        compile_for("_advance")
        assert capsys.readouterr().err == ""
    compile_for("jit(f)")
    assert capsys.readouterr().err.startswith("compiling jit(f), a while")


def test_the_outermost_purpose_counts(compile_for, capsys):
    told = []
    with purpose("the page", told.append), purpose("a move"), purpose(""):
        expect(20.0)
        compile_for("_advance")
    assert capsys.readouterr().err.startswith("compiling the page, about 20 s")
    assert told == [20.0]


@pytest.mark.parametrize(("seconds", "told"), [(6.0, "about 10 s"), (84.0, "about 80 s")])
def test_estimates_are_told_in_tens_of_seconds(seconds, told):
    current = Purpose("best")
    current.seconds = seconds
    assert told in compilation_cache.announcement(current)
