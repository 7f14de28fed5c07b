"""Markdown of rulebooks as HTML."""

from agents.play.page.markdown import to_html


def html(text: str) -> str:
    return to_html(text, lambda address: f"[{address}]")


def test_headings_begin_below_the_heading_of_the_page():
    assert html("# One\n\n## Two") == "<h2>One</h2>\n<h3>Two</h3>"


def test_lines_of_a_paragraph_are_joined_and_markup_is_escaped():
    text = "a **bold** word <b>\nand *another* one & more"
    assert html(text) == (
        "<p>a <strong>bold</strong> word &lt;b&gt; and <em>another</em> one &amp; more</p>"
    )


def test_an_item_goes_on_in_the_next_line():
    assert html("- one\n  more\n- two") == "<ul><li>one more</li><li>two</li></ul>"
    assert html("1. one\n2. two") == "<ol><li>one</li><li>two</li></ol>"


def test_a_picture_has_its_words_as_caption():
    assert html("![The map](figure:map)") == (
        "<figure>[figure:map]<figcaption>The map</figcaption></figure>"
    )


def test_tables_have_heads_and_those_of_a_glossary_fold_away():
    assert html("| a | b |\n| --- | --- |\n| 1 | |") == (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td></td></tr></tbody></table>"
    )
    assert html("| units | |\n| --- | --- |\n| rider | Fast. |") == (
        "<details><summary>units</summary>"
        "<table><tr><td>rider</td><td>Fast.</td></tr></table></details>"
    )
