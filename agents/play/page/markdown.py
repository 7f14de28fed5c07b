"""Markdown of the library's own rulebooks as HTML: headings, paragraphs, lists, tables, pictures.

Texts are escaped, so that they hold no markup besides.
"""

import html
import re
from collections.abc import Callable

Picture = Callable[[str], str]
"""Returns the markup of the picture of an address."""

_HEADING = re.compile(r"(#{1,3}) (.*)")
_ITEM = re.compile(r"(- |\d+\. )")
_IMAGE = re.compile(r"!\[(?P<words>[^\]]*)\]\((?P<address>[^)]*)\)")
_SPANS = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*(.+?)\*"), r"<em>\1</em>"),
)


def to_html(text: str, picture: Picture) -> str:
    """Returns the HTML of a Markdown text; pictures stand in paragraphs of their own."""
    blocks = (block.splitlines() for block in text.split("\n\n") if block.strip())
    return "\n".join(_block(list(filter(str.strip, lines)), picture) for lines in blocks)


def _block(lines: list[str], picture: Picture) -> str:
    """Returns the HTML of lines without an empty line between them."""
    if heading := _HEADING.fullmatch(lines[0]):
        level = len(heading[1]) + 1  # the page has a heading of its own
        return f"<h{level}>{_spans(heading[2])}</h{level}>"
    if image := _IMAGE.fullmatch(lines[0]):
        caption = f"<figcaption>{_spans(image['words'])}</figcaption>"
        return f"<figure>{picture(image['address'])}{caption}</figure>"
    if lines[0].startswith("|"):
        return _table(lines)
    if _ITEM.match(lines[0]):
        kind = "ul" if lines[0].startswith("-") else "ol"
        items = "".join(f"<li>{_spans(item)}</li>" for item in _items(lines))
        return f"<{kind}>{items}</{kind}>"
    return f"<p>{_spans(' '.join(lines))}</p>"


def _items(lines: list[str]) -> list[str]:
    """Returns the items of a list; lines that begin no item go on with the last one."""
    found: list[str] = []
    for line in lines:
        if item := _ITEM.match(line):
            found.append(line[item.end() :])
        else:
            found[-1] += " " + line.strip()
    return found


def _table(lines: list[str]) -> str:
    """Returns a table; one without a title of its second column folds away."""
    head, _, *rows = map(_cells, lines)
    body = "".join(_row(row, "td") for row in rows)
    if head[1:] == [""]:
        return f"<details><summary>{_spans(head[0])}</summary><table>{body}</table></details>"
    return f"<table><thead>{_row(head, 'th')}</thead><tbody>{body}</tbody></table>"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _row(cells: list[str], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{_spans(cell)}</{kind}>' for cell in cells)}</tr>"


def _spans(text: str) -> str:
    text = html.escape(text, quote=False)
    for pattern, markup in _SPANS:
        text = pattern.sub(markup, text)
    return text
