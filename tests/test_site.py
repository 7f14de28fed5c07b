"""Links between pages lead somewhere, as a code host shows the pages and in the site."""

import importlib.util
import re

import pytest

from tests.locations import CHECKOUT

FOLDERS = ("docs", "papers", "benchmarks/results", "examples")
PAGES = sorted(page for folder in FOLDERS for page in (CHECKOUT / folder).rglob("*.md"))
LINK = re.compile(r"\]\(([^)\s#:]+)(?=[)#\s])")


@pytest.fixture(scope="module")
def hooks():
    spec = importlib.util.spec_from_file_location("site_hooks", CHECKOUT / "docs" / "hooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(CHECKOUT).as_posix())
def test_links_lead_to_files_of_the_checkout(page):
    broken = [path for path in LINK.findall(page.read_text()) if not (page.parent / path).exists()]
    assert not broken


@pytest.mark.parametrize(
    ("page", "link", "in_site"),
    [
        ("training.md", "../papers/tribes/README.md", "papers/tribes/README.md"),
        ("games/tribes.md", "../../papers/tribes/README.md", "../papers/tribes/README.md"),
        ("papers/tribes/README.md", "../../docs/agents.md", "../../agents.md"),
        ("papers/tribes/README.md", "../../docs/games/tribes.md", "../../games/tribes.md"),
        ("papers/tribes/README.md", "figures/study.png", "figures/study.png"),
        (
            "papers/tribes/README.md",
            "../../benchmarks/results/papers/tribes/study.md",
            "../../benchmarks/results/papers/tribes/study.md",
        ),
        ("index.md", "../benchmarks/results/x.md", "benchmarks/results/x.md"),
        ("examples/ppo_selfplay.md", "figures/ppo_selfplay.svg", "figures/ppo_selfplay.svg"),
        ("index.md", "../examples/ppo_selfplay.py", "examples/ppo_selfplay.md"),
        ("x.md", "../examples/notebooks/a.ipynb", "examples/notebooks/a.md"),
        ("games/tribes.md", "../assets/tribes.svg", "../assets/tribes.svg"),
        (
            "games/tribes.md",
            "../../jaxgames/tribes/rulebook.md",
            "../jaxgames/tribes/rulebook.md",
        ),
    ],
)
def test_links_between_folders_are_rewritten_for_the_site(hooks, page, link, in_site):
    assert hooks.site_links(f"a [b]({link}#part) c", page) == f"a [b]({in_site}#part) c"


def test_page_of_an_example_shows_text_code_output_and_picture(hooks, tmp_path):
    program = tmp_path / "greet.py"
    program.write_text('"""A greeting.\n\nSays hello.\n"""\n\nprint("hello")\n')
    for folder, name, text in (("outputs", "greet.txt", "hello\n"), ("figures", "greet.svg", "")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text)
    assert hooks.example_page(program) == (
        '# A greeting\n\nSays hello.\n\n## greet.py\n\n```python\nprint("hello")\n```\n\n'
        "## What it prints\n\n```text\nhello\n```\n\n![A greeting.](figures/greet.svg)\n"
    )


def test_page_of_a_notebook_has_its_texts_as_text_and_its_cells_as_code(hooks, tmp_path):
    script = tmp_path / "a.py"
    script.write_text(
        "# ---\n# jupyter:\n# ---\n\n# %% [markdown]\n# # A\n#\n# Text.\n\n# %%\n# %pip install b\n"
    )
    assert hooks.notebook_page(script) == (
        '# A\n\nText.\n\nDownload: <a href="../a.ipynb" download>a.ipynb</a>\n\n'
        "```python\n%pip install b\n```\n"
    )


def test_links_to_the_web_and_within_a_page_stay(hooks):
    text = "[a](https://arxiv.org/abs/1509.02971) [b](#part)"
    assert hooks.site_links(text, "papers/tribes/README.md") == text


def test_the_site_has_the_pages_of_papers_and_their_pictures(hooks):
    from mkdocs.config import load_config
    from mkdocs.structure.files import Files

    config = load_config(str(CHECKOUT / "mkdocs.yml"), plugins=[], hooks=[], theme="mkdocs")
    config.plugins._current_plugin = "docs/hooks.py"
    found = {file.src_uri for file in hooks.on_files(Files([]), config)}
    assert {"papers/tribes/README.md", "papers/onitama_report/ddpg.md"} <= found
    assert "papers/murus_gallicus/figures/nodes.svg" in found
    assert {"jaxgames/tribes/rulebook.md", "jaxgames/onitama/figures/start.svg"} <= found


def test_a_rulebook_of_the_site_has_its_pictures_and_words(hooks):
    files = hooks.rulebook_files("jaxgames/onitama/rulebook.md")
    page = files.pop("jaxgames/onitama/rulebook.md")
    assert "![The start: Red below, Blue above, five cards](figures/start.svg)" in page
    assert "| boar | Moves a piece by one of: 1 ahead; 1 left; 1 right. |" in page
    assert files.keys() == {
        f"jaxgames/onitama/figures/{n}.svg" for n in ("start", "card", "stream")
    }
    assert all(text.startswith("<?xml") or "<svg" in text for text in files.values())
