"""What a footnote may hold: a parser that is not ours must find all of it in the note, and nothing in the text."""

import pytest

REFERENCE = '<p>Salt<a epub:type="noteref" href="#s">1</a> was dear.</p>'


@pytest.fixture
def note(read, html):
    """The HTML of the footnote that a note with this content becomes."""

    def note(content, element="aside"):
        book = read(f'{REFERENCE}<{element} epub:type="footnote" id="s">{content}</{element}><p>The end.</p>')
        rendered = html(book.markdown)
        text, _, footnotes = rendered.partition('<section class="footnotes">')
        assert "<p>Salt" in text
        assert "<p>The end.</p>" in text
        item = footnotes.partition('class="footnote-item">')[2].rpartition("</li>\n</ol>")[0]
        return item.partition(' <a href="#fnref1"')[0], book.markdown

    return note


def test_several_paragraphs(note):
    found, markdown = note("<p>One.</p><p>Two.</p>")
    assert found.split() == ["<p>One.</p>", "<p>Two."]
    assert markdown.endswith("[^1]: One.\n\n    Two.")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<ul><li>a</li><li>b</li></ul>", "<ul> <li>a</li> <li>b</li> </ul>"),
        ("<ol><li>a</li><li>b</li></ol>", "<ol> <li>a</li> <li>b</li> </ol>"),
        ("<ol><li><p>a</p><p>b</p></li></ol><p>c</p>", "<ol> <li> <p>a</p> <p>b</p> </li> </ol> <p>c"),
        (
            "<ul><li><pre>a</pre><p>b</p></li></ul><p>c</p>",
            "<ul> <li> <pre><code>a </code></pre> <p>b</p> </li> </ul> <p>c",
        ),
        (
            "<blockquote><ul><li><p>a</p><p>b</p></li></ul></blockquote><p>c</p>",
            "<blockquote> <ul> <li> <p>a</p> <p>b</p> </li> </ul> </blockquote> <p>c",
        ),
        ("<p>x</p><ul><li>a</li></ul>", "<p>x</p> <ul> <li>a</li> </ul>"),
        ("<blockquote><p>q</p></blockquote>", "<blockquote> <p>q</p> </blockquote>"),
        ("<p>x</p><blockquote><p>q</p></blockquote>", "<p>x</p> <blockquote> <p>q</p> </blockquote>"),
        ("<pre>a\n\n  b</pre>", "<pre><code>a b </code></pre>"),
        ("<p>x</p><pre>a\n\n  b</pre>", "<p>x</p> <pre><code>a b </code></pre>"),
        ("<h4>h</h4><p>x</p>", "<h4>h</h4> <p>x"),
        (
            "<table><tr><th>h</th></tr><tr><td>c</td></tr></table>",
            "<table> <thead> <tr> <th>h</th> </tr> </thead> <tbody> <tr> <td>c</td> </tr> </tbody> </table>",
        ),
        (
            "<p>x</p><table><tr><th>h</th></tr><tr><td>c</td></tr></table>",
            "<p>x</p> <table> <thead> <tr> <th>h</th> </tr> </thead> <tbody> <tr> <td>c</td> </tr> </tbody> </table>",
        ),
    ],
)
def test_blocks_inside_of_a_note(note, content, expected):
    found, markdown = note(content)
    assert found.split()[: len(expected.split())] == expected.split(), markdown


def test_line_breaks_inside_of_a_note(note):
    found, markdown = note("<p>One,<br/>two.</p>")
    assert "<br />" in found, markdown


def test_preformatted_text_in_a_note_keeps_its_blanks(note):
    found, _ = note("<p>x</p><pre>a\n\n    b</pre>")
    assert "a\n\n    b" in found


@pytest.mark.parametrize("content", ["", "<p>1</p>", "<p><b>[1]</b></p>"])
def test_note_with_nothing_but_its_label_stays_where_it_is(read, outline, content):
    book = read(f'{REFERENCE}<aside epub:type="footnote" id="s">{content}</aside><p>The end.</p>')
    found = outline(book.markdown)
    assert (found.references, found.definitions) == (set(), set())
    assert book.markdown.startswith("Salt[1](#s) was dear.\n\n")
    assert book.markdown.endswith("The end.")


def test_picture_is_all_that_a_note_holds(note):
    found, _ = note('<img src="https://example.org/x.png" alt="Map"/>')
    assert '<img src="https://example.org/x.png" alt="Map" />' in found


def test_list_item_becomes_a_note_without_its_number(note):
    found, markdown = note("<p>Gram.</p>", element="li")
    assert found.strip() == "<p>Gram."
    assert markdown.endswith("[^1]: Gram.")


@pytest.mark.parametrize("text", ["[^1]: x", "# x", "- x", "2. x", "> x", "    x", "| a |", "[^2]", "```"])
def test_text_that_looks_like_markdown_stays_text(note, text):
    found, markdown = note(f"<p>{text.replace('>', '&gt;')}</p>")
    assert found.startswith("<p>" + text.strip().replace(">", "&gt;")), markdown
