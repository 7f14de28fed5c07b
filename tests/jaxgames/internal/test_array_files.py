"""Files of arrays notice every change, and stay readable for other programs."""

import json
import zipfile

import numpy as np
import pytest

from jaxgames.internal import array_files

ARRAYS = {"kernel": np.arange(12, dtype=np.float32).reshape(3, 4), "bias": np.ones(4, np.int8)}
META = {"game": "nim", "sizes": [1, 2]}


@pytest.fixture(params=[False, True])
def path(request, tmp_path):
    array_files.write(tmp_path / "file.npz", ARRAYS, META, compressed=request.param)
    return tmp_path / "file.npz"


def assert_equal(arrays):
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_arrays_and_description_come_back_equal(path):
    arrays, meta = array_files.read(path)
    assert_equal(arrays)
    assert meta == META


def test_numpy_and_zipfile_read_the_file(path):
    with np.load(path) as file:
        found = dict(file)
    assert json.loads(str(found.pop("meta"))) == {**META, "checksum": "sha256"}
    assert_equal(found)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        assert file.comment.startswith(b"sha256=")


def test_equal_content_gives_equal_files(path, tmp_path):
    with zipfile.ZipFile(path) as file:
        compressed = file.infolist()[0].compress_type != zipfile.ZIP_STORED
    array_files.write(tmp_path / "again.npz", ARRAYS, META, compressed=compressed)
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_every_flipped_bit_is_noticed(path):
    content = path.read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        with pytest.raises(ValueError, match=r"\w"):
            array_files.read(path)


@pytest.mark.parametrize("added", [b"\0", b"text after the end"])
def test_added_bytes_are_noticed(path, added):
    content = path.read_bytes()
    for changed in (content + added, added + content):
        path.write_bytes(changed)
        with pytest.raises(ValueError, match=r"\w"):
            array_files.read(path)


@pytest.mark.parametrize("comment", [b"", b"my notes"])
def test_a_checksum_that_was_removed_is_missed(path, comment):
    with zipfile.ZipFile(path, "a") as file:
        file.comment = comment
    with pytest.raises(ValueError, match="its checksum is wrong"):
        array_files.read(path)


def test_files_of_older_versions_are_read_without_checksum(tmp_path):
    np.savez(tmp_path / "old.npz", meta=np.array(json.dumps(META)), **ARRAYS)
    arrays, meta = array_files.read(tmp_path / "old.npz")
    assert_equal(arrays)
    assert meta == META
