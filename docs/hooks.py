"""Adds the pages of papers and the records of benchmarks to the site.

MkDocs alone builds a site from `docs/` and nothing else. Pages link to each other by their paths in
the repository, so that a code host shows them as well. In the site a page `docs/x.md` has the path
`x.md`; added pages keep the path that they have in the repository. So links from one folder to
another are rewritten here.
"""

import pathlib
import posixpath
import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
ADDED = ("papers/", "benchmarks/results/")
PATTERNS = (
    "papers/*/*.md",
    "papers/*/figures/*",
    "benchmarks/results/**/*.md",
    "benchmarks/results/**/*.png",
)
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
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Returns the text of a page with its links as the site needs them."""
    del config, files
    return site_links(markdown, page.file.src_uri)


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
        return posixpath.relpath(target.removeprefix("docs/"), posixpath.dirname(name))

    return _LINK.sub(rewritten, markdown)


def repository_path(name: str) -> str:
    """Returns the path in the repository of a page of the site."""
    return name if name.startswith(ADDED) else f"docs/{name}"
