"""`LearningCurve`: what a notebook shows of a training while it runs, and after it."""

import subprocess
import sys
import types

import pytest

from jaxgames.pictures.learning_curve import FILE_NAME, LearningCurve


def python(program):
    return subprocess.Popen([sys.executable, "-c", program])


def test_the_curve_is_shown_while_the_training_goes_on_and_at_its_end(tmp_path, monkeypatch):
    seen = []
    display = types.SimpleNamespace(
        clear_output=lambda wait: None, display=lambda curve: seen.append(curve._repr_png_())
    )
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    curve = LearningCurve(tmp_path)
    assert curve._repr_png_() is None and "empty" in repr(curve)
    (tmp_path / FILE_NAME).write_bytes(b"first")
    path = str(tmp_path / FILE_NAME)
    program = f"import time; time.sleep(0.3); open({path!r}, 'wb').write(b'last')"
    curve.follow(python(program), seconds=0.01)
    assert seen[0] == b"first" and seen[-1] == b"last"


def test_a_training_that_fails_is_an_error(tmp_path):
    with pytest.raises(subprocess.CalledProcessError):
        LearningCurve(tmp_path).follow(python("raise SystemExit(2)"))


def test_an_interrupt_ends_the_training_and_waits_for_it(tmp_path):
    training = python("import time; time.sleep(60)")
    wait = training.wait

    def interrupted(seconds):
        training.wait = wait
        raise KeyboardInterrupt

    training.wait = interrupted
    with pytest.raises(subprocess.CalledProcessError):  # this one does not listen to the signal
        LearningCurve(tmp_path).follow(training)
