import errno
import os
import pathlib

import pytest

from jaxgames.internal import files
from jaxgames.networks import network_files


def test_results_are_as_open_to_others_as_other_files(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    files.replace(tmp_path / "results.json", "{}")
    assert (tmp_path / "results.json").stat().st_mode == plain.stat().st_mode


def kept_in(error):
    """Returns the folder that a message names."""
    return pathlib.Path(str(error.value).rpartition("the results are kept in ")[2])


def test_delivered_results_are_in_their_files_and_missing_folders_are_made(tmp_path):
    files.deliver({tmp_path / "new" / "a": "one", tmp_path / "b": b"two"})
    assert (tmp_path / "new" / "a").read_text() == "one"
    assert (tmp_path / "b").read_bytes() == b"two"


def test_results_that_cannot_be_written_are_kept_elsewhere(tmp_path):
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "old").write_text("old")
    with pytest.raises(OSError, match=r"cannot write .*file/a, .*old: .*; the results are") as e:
        files.deliver({tmp_path / "file" / "a": "one", tmp_path / "old": "two"})
    assert (kept_in(e) / "a").read_text() == "one"
    assert (kept_in(e) / "old").read_text() == "two"
    assert (tmp_path / "old").read_text() == "old"


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device; nor to the temporary folder: No"):
        files.deliver({tmp_path / "a": "one"})
    assert not any(tmp_path.iterdir())


def test_a_new_result_never_replaces_a_file(tmp_path):
    (tmp_path / "a").write_text("precious")
    with pytest.raises(OSError, match="a exists already; the results are kept in") as error:
        files.deliver_new(tmp_path / "a", "one")
    assert (tmp_path / "a").read_text() == "precious"
    assert (kept_in(error) / "a").read_text() == "one"
    files.deliver_new(tmp_path / "b", "two")
    assert (tmp_path / "b").read_text() == "two"


def test_what_older_files_do_not_say_has_its_default(tmp_path):
    identity = {"game": "nim", "generator": "new"}
    files.check_identity("saved", tmp_path, {"game": "nim"}, identity, {"generator": "new"})
    with pytest.raises(ValueError, match="its generator is old, not new"):
        files.check_identity("saved", tmp_path, {"game": "nim"}, identity, {"generator": "old"})
    with pytest.raises(ValueError, match="its generator is None, not new"):
        files.check_identity("saved", tmp_path, {"game": "nim"}, identity)


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    files.replace(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "new"


def test_special_files_are_refused_and_stay(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match=r"output: .*pipe is no regular file"):
        files.check_writable("output", pipe)
    with pytest.raises(OSError, match="no regular file"):
        files.replace(pipe, "content")
    assert pipe.is_fifo()
    with pytest.raises(ValueError, match=r"export: .*pipe is no regular file"):
        network_files.check_target(pipe)
