"""Adds pages of papers, records, examples, rulebooks and networks, and a source map to the site.

MkDocs alone builds a site from `docs/` and nothing else. Pages link to each other by their paths in
the repository, so that a code host shows them as well. In the site a page `docs/x.md` has the path
`x.md`; added pages keep the path that they have in the repository. So links from one folder to
another are rewritten here.

An example is a program. Its page is made of it: the docstring as text, the rest as code, then what
it printed (`examples/outputs/`) and drew (`examples/figures/`) when it was run last. The page of a
notebook is made of its script: texts as text, cells as code.

The rulebooks lie beside the rules of their games, since the page of `jaxgames play` has them, too.
Their pictures are drawn here.
"""

import ast
import pathlib
import posixpath
import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import jaxgames
from docs.source_map import source_map

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
RULEBOOK = "rulebook.md"  # in the folder of a game
RULEBOOKS = tuple(
    path.relative_to(CHECKOUT).as_posix()
    for path in sorted(CHECKOUT.glob(f"jaxgames/*/{RULEBOOK}"))
)
PRETRAINED = "jaxgames/pretrained/README.md"
ICON = "agents/play/page/files/icon.svg"
ADDED = ("papers/", "benchmarks/results/", "examples/", PRETRAINED, *RULEBOOKS)
PATTERNS = (
    "papers/*/*.md",
    "papers/*/figures/*",
    "benchmarks/results/**/*.md",
    "benchmarks/results/**/*.png",
    "benchmarks/results/**/*_games.json",
    "examples/*.md",
    "examples/figures/*",
    "examples/notebooks/*.ipynb",
    PRETRAINED,
    ICON,
)
_FIGURE = re.compile(r"\]\(figure:(\w+)\)")
_LINK = re.compile(r"(?<=\]\()(?P<path>[^)\s#:]+)(?=[)#\s])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Makes `mkdocs serve` follow changes of the added pages."""
    config.watch.extend(str(CHECKOUT / folder) for folder in ADDED)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Returns the files of the site with the added pages and their pictures."""
    for pattern in PATTERNS:
        for path in sorted(CHECKOUT.glob(pattern)):
            name = path.relative_to(CHECKOUT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    for path in sorted(CHECKOUT.glob("examples/[a-z]*.py")):
        name = path.relative_to(CHECKOUT).with_suffix(".md").as_posix()
        files.append(File.generated(config, name, content=example_page(path)))
    for path in sorted(CHECKOUT.glob("examples/notebooks/*.py")):
        name = path.relative_to(CHECKOUT).with_suffix(".md").as_posix()
        files.append(File.generated(config, name, content=notebook_page(path)))
    for name in RULEBOOKS:
        for path, content in rulebook_files(name).items():
            files.append(File.generated(config, path, content=content))
    files.append(File.generated(config, "source_map.md", content=source_map(CHECKOUT)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Returns the text of a page with its links as the site needs them."""
    del config, files
    return site_links(markdown, page.file.src_uri)


def rulebook_files(name: str) -> dict[str, str]:
    """Returns the page of a rulebook and its pictures, by their paths in the site."""
    folder = posixpath.dirname(name)
    env = jaxgames.make(posixpath.basename(folder))
    text = env.rulebook()
    figures = dict.fromkeys(_FIGURE.findall(text))
    drawn = {f"{folder}/figures/{figure}.svg": env.figure(figure).as_svg() for figure in figures}
    return {name: _FIGURE.sub(r"](figures/\1.svg)", text), **drawn}


def example_page(path: pathlib.Path) -> str:
    """Returns the page of a program."""
    source = path.read_text(encoding="utf-8")
    module = ast.parse(source)
    title, _, text = (ast.get_docstring(module) or "").partition("\n\n")
    code = "\n".join(source.splitlines()[module.body[0].end_lineno :]).strip("\n")
    parts = [f"# {title.rstrip('.')}", text, f"## {path.name}", f"```python\n{code}\n```"]
    output = path.parent / "outputs" / f"{path.stem}.txt"
    if output.exists():
        printed = output.read_text(encoding="utf-8").strip("\n")
        parts += ["## What it prints", f"```text\n{printed}\n```"]
    parts += [
        f"![{title}](figures/{figure.name})"
        for figure in sorted((path.parent / "figures").glob(f"{path.stem}.*"))
    ]
    return "\n\n".join(parts) + "\n"


def notebook_page(path: pathlib.Path) -> str:
    """Returns the page of a notebook, from its script in the percent format of jupytext."""
    parts = []
    for cell in re.split(r"(?m)^# %%", path.read_text(encoding="utf-8"))[1:]:
        head, _, body = cell.partition("\n")
        if head == " [markdown]":
            parts.append(re.sub(r"(?m)^# ?", "", body).strip())
        else:
            code = re.sub(r"(?m)^# (?=%pip )", "", body).strip("\n")
            parts.append(f"```python\n{code}\n```")
    link = f'<a href="../{path.stem}.ipynb" download>{path.stem}.ipynb</a>'
    return "\n\n".join([parts[0], f"Download: {link}", *parts[1:]]) + "\n"


def site_links(markdown: str, name: str) -> str:
    """Returns the text of a page with relative links as paths within the site.

    Args:
        markdown: text of the page.
        name: path of the page in the site, such as `games/tribes.md`.
    """
    own = repository_path(name)

    def rewritten(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(own), link["path"]))
        if not target.startswith(("docs/", *ADDED)):
            return link["path"]  # MkDocs will say that the site has no such file
        if target.startswith("examples/") and target.endswith((".py", ".ipynb")):
            target = posixpath.splitext(target)[0] + ".md"
        return posixpath.relpath(target.removeprefix("docs/"), posixpath.dirname(name))

    return _LINK.sub(rewritten, markdown)


def repository_path(name: str) -> str:
    """Returns the path in the repository of a page of the site."""
    return name if name.startswith(ADDED) else f"docs/{name}"
