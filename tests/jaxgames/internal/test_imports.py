import pytest

from jaxgames.internal import imports


def test_a_path_leads_to_its_object():
    assert imports.load("jaxgames.internal.imports:load") is imports.load


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("jaxgames.nowhere:load", "No module named 'jaxgames.nowhere'"),
        ("jaxgames.internal.imports:lod", "no attribute 'lod'"),
    ],
)
def test_a_path_to_nothing_is_refused_with_the_reason(path, reason):
    with pytest.raises(ValueError, match=f"there is no '{path}': .*{reason}"):
        imports.load(path)


@pytest.mark.parametrize(
    "path", ["jaxgames.internal.imports", "jaxgames:", ":load", "a:b:c", "a b:c", None]
)
def test_what_is_no_path_is_refused_with_an_example(path):
    with pytest.raises(ValueError, match=r"is not an import path like 'package\.module:name'"):
        imports.check(path, "package.module:name")
