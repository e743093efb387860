"""Links: one map from (document, fragment) to an id for the whole book, anchors only where a link leads."""

import pytest


def test_anchor_is_written_only_where_a_link_leads(read):
    book = read('<p id="a">One.</p><p id="b">Two. <a href="#a">Up</a></p>')
    assert book.markdown == '<a id="a"></a>One.\n\nTwo. [Up](#a)'


@pytest.mark.parametrize("href", ["../b/two.html#setup", "/OPS/b/two.html#setup", "../b/./two.html?x=1#setup"])
def test_link_with_a_file_name_leads_to_the_anchor_of_its_target(read, href):
    two = '<p>Start.</p><p id="setup">Here.</p>'
    book = read({"a/one.xhtml": f'<p>See <a href="{href}">setup</a>.</p>', "b/two.html": two})
    assert book.texts == ["See [setup](#setup).", 'Start.\n\n<a id="setup"></a>Here.']


def test_link_to_a_whole_document_leads_to_its_start(read):
    book = read(['<p><a href="c2.xhtml">part two</a></p>', "<p>Start.</p>"])
    assert book.texts == ["[part two](#c2)", '<a id="c2"></a>Start.']


def test_empty_fragment_means_the_document(read):
    book = read(['<p><a href="c2.xhtml#">part two</a></p>', "<p>Start.</p>"])
    assert book.texts[0] == "[part two](#c2)"


def test_lone_hash_leads_to_the_start_of_its_own_document(read):
    book = read('<p>One.</p><p><a href="#">Up</a></p>')
    assert book.markdown == '<a id="c1"></a>One.\n\n[Up](#c1)'


def test_same_file_name_in_two_folders_stays_apart(read):
    linking = '<p><a href="{0}/n.xhtml#x">{0}</a></p>'
    book = read(
        {
            "c.xhtml": linking.format("a") + linking.format("b"),
            "a/n.xhtml": '<p id="x">In a.</p>',
            "b/n.xhtml": '<p id="x">In b.</p>',
        }
    )
    assert book.texts == ["[a](#x)\n\n[b](#n-x)", '<a id="x"></a>In a.', '<a id="n-x"></a>In b.']


def test_same_id_in_two_documents_stays_apart(read):
    chapter = '<p id="x">{}. <a href="#x">Here</a> and <a href="{}#x">there</a></p>'
    book = read([chapter.format("One", "c2.xhtml"), chapter.format("Two", "c1.xhtml")])
    assert book.texts == [
        '<a id="x"></a>One. [Here](#x) and [there](#c2-x)',
        '<a id="c2-x"></a>Two. [Here](#c2-x) and [there](#x)',
    ]


def test_id_that_occurs_twice_in_a_document_means_the_first(read):
    book = read('<p id="x">One.</p><p id="x">Two.</p><p><a href="#x">Up</a></p>')
    assert book.markdown == '<a id="x"></a>One.\n\nTwo.\n\n[Up](#x)'


@pytest.mark.parametrize(
    ("identifier", "fragment"),
    [
        ("caf\u00e9", "caf%C3%A9"),
        ("caf\u00e9", "caf\u00e9"),
        ("a b", "a%20b"),
        ("節一", "節一"),
        ("x.y:z-1", "x.y:z-1"),
    ],
)
def test_fragment_may_be_encoded(read, html, identifier, fragment):
    book = read(f'<p id="{identifier}">One.</p><p><a href="#{fragment}">Up</a></p>')
    assert '<a id="' in book.markdown
    assert book.codes == []


@pytest.mark.parametrize("identifier", ["fn1", "fnref2", "fnref-3"])
def test_id_that_renderers_give_to_footnotes_is_changed(read, identifier):
    book = read(f'<p id="{identifier}">One.</p><p><a href="#{identifier}">Up</a></p>')
    assert book.markdown == f'<a id="c1-{identifier}"></a>One.\n\n[Up](#c1-{identifier})'


def test_fragment_that_looks_encoded_in_the_id_itself_is_found(read):
    book = read('<p id="a%20b">One.</p><p><a href="#a%20b">Up</a></p>')
    assert book.codes == []


@pytest.mark.parametrize("identifier", ['x"y', "x>y", "x<y", "a b", "x(y)", "x[y]", "x\\y", "x#y", "&"])
def test_id_with_odd_characters_makes_a_usable_anchor(read, identifier):
    from html import escape
    from urllib.parse import quote

    book = read(f'<p id="{escape(identifier)}">One.</p><p><a href="#{quote(identifier)}">Up</a></p>')
    assert "[Up](#" in book.markdown
    assert book.codes == []


def test_dead_fragment_leads_to_the_start_of_the_document(read):
    book = read(['<p><a href="c2.xhtml#gone">there</a></p>', "<p>Start.</p>"])
    assert book.texts == ["[there](#c2)", '<a id="c2"></a>Start.']
    found = book.one("source.link_target_missing")
    assert (found.path, found.severity) == ("OPS/c1.xhtml", "warning")
    assert "c2.xhtml#gone" in found.message


def test_dead_document_leaves_the_text(read):
    book = read('<p>See <a href="gone.xhtml"><i>there</i></a>.</p>')
    assert book.markdown == "See *there*."
    found = book.one("source.link_target_missing")
    assert (found.path, found.line) == ("OPS/c1.xhtml", 1)


def test_link_to_a_document_that_was_left_out_is_text_and_a_diagnostic(read):
    book = read(
        [
            '<h1><a href="c2.xhtml#one">One</a></h1>',
            '<section epub:type="toc"><a id="one" href="c1.xhtml">1</a></section>',
            "<p>2</p>",
        ]
    )
    assert book.texts == ["# One", "2"]
    found = book.one("source.link_target_missing")
    assert (found.severity, "left out" in found.message) == ("info", True)


def test_link_to_an_unreadable_document_leads_to_the_gap(read):
    book = read(['<p><a href="c2.xhtml">Two</a></p>', b"", "<p>3</p>"])
    gap = '<a id="c2"></a>*\\[Missing from this copy of the book: OPS/c2.xhtml\\]*'
    assert book.texts == ["[Two](#c2)", gap, "3"]


def test_link_to_a_hidden_place_leads_to_where_it_would_be(read):
    book = read('<p>One.</p><p hidden="hidden" id="h">secret</p><p>Two <a href="#h">see</a></p>')
    assert book.markdown == 'One.\n\n<a id="h"></a>Two [see](#h)'


@pytest.mark.parametrize("href", ["nav.xhtml", "book.opf", "../META-INF/container.xml"])
def test_link_to_what_only_makes_the_book_is_text_and_a_diagnostic(read, href):
    book = read(f'<p><a href="{href}">Contents</a></p>')
    assert book.markdown == "Contents"
    assert book.one("source.link_target_missing")


def test_document_outside_of_the_reading_order_comes_at_the_end_when_a_link_leads_there(read, wrap):
    manifest = '<item id="x" href="x.xhtml" media-type="application/xhtml+xml"/>'
    files = {"OPS/x.xhtml": wrap('<p>More. <a href="y.xhtml">And more</a></p>'), "OPS/y.xhtml": wrap("<p>Most.</p>")}
    book = read(['<p><a href="x.xhtml">See</a></p>', "<p>2</p>"], manifest=manifest, files=files)
    assert book.texts == ["[See](#x)", "2", '<a id="x"></a>More. [And more](#y)', '<a id="y"></a>Most.']
    assert book.segments[2].provenance[0].metadata["auxiliary"] is True
    assert len(book.all("source.spine_item_nonlinear")) == 2


def test_document_that_no_link_leads_to_stays_outside(read, wrap):
    manifest = '<item id="x" href="x.xhtml" media-type="application/xhtml+xml"/>'
    book = read("<p>1</p>", manifest=manifest, files={"OPS/x.xhtml": wrap("<p>x</p>")})
    assert book.markdown == "1"


def test_notes_outside_of_the_reading_order_become_footnotes(read, wrap):
    files = {"OPS/n.xhtml": wrap('<aside epub:type="footnote" id="n"><p>Dear.</p></aside>')}
    book = read('<p>Salt<a epub:type="noteref" href="n.xhtml#n">1</a></p>', files=files)
    assert book.markdown == "Salt[^1]\n\n[^1]: Dear."


@pytest.mark.parametrize("after", [[], ["<p>Colophon.</p>"]])
def test_link_to_a_note_whose_document_has_no_text_of_its_own_leads_to_the_footnote(read, after):
    text = '<p>Text<a epub:type="noteref" href="c2.xhtml#n1">1</a>; see <a href="c2.xhtml#n1">this note</a>.</p>'
    notes = '<section epub:type="endnotes"><ol><li id="n1" epub:type="endnote"><p>First.</p></li></ol></section>'
    book = read([text, notes, *after])
    assert book.texts == [
        'Text[^1]; see [this note](#n1).\n\n[^1]: <a id="n1"></a>First.',
        *(["Colophon."] if after else []),
    ]


def test_link_to_a_member_that_is_no_text_names_the_member(read):
    manifest = '<item id="m" href="a b.mp3" media-type="audio/mpeg"/>'
    book = read('<p><a href="a%20b.mp3">Listen</a></p>', manifest=manifest, files={"OPS/a b.mp3": b"x"})
    assert book.markdown == "[Listen](OPS/a%20b.mp3)"
    (found,) = book.document.attachments
    assert found.metadata == {"member": "OPS/a b.mp3", "referenced": True}


@pytest.mark.parametrize("url", ["https://example.org/x.xhtml#b", "mailto:ann@example.org", "tel:+123", "urn:isbn:1"])
def test_external_link_stays_as_it_is(read, url):
    assert read(f'<p><a href="{url}">out</a></p>').markdown == f"[out]({url})"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", " JavaScript:x", "data:text/html,x", "vbscript:x", "file:///etc/x"]
)
def test_dangerous_link_is_plain_text(read, url):
    book = read(f'<p><a href="{url}">out</a></p>')
    assert book.markdown == "out"
    assert book.codes == ["source.link_unsafe"]


def test_external_base_makes_relative_links_external(read, wrap):
    chapter = wrap('<p><a href="x.html#y">out</a></p>', head='<base href="https://example.org/a/"/>')
    assert read(chapter).markdown == "[out](https://example.org/a/x.html#y)"


def test_relative_base_moves_where_links_start(read, wrap):
    chapter = wrap('<p><a href="n.xhtml">in</a></p>', head='<base href="sub/"/>')
    book = read({"c.xhtml": chapter, "sub/n.xhtml": "<p>Text.</p>"})
    assert book.texts == ["[in](#n)", '<a id="n"></a>Text.']


def test_link_without_destination_is_its_text(read):
    assert read("<p><a>plain</a></p>").markdown == "plain"


def test_title_of_a_link_is_kept(read):
    book = read('<p id="a">One <a href="#a" title="the &quot;start&quot;">up</a></p>')
    assert book.markdown == '<a id="a"></a>One [up](#a "the \\"start\\"")'


def test_old_style_named_anchor_is_a_target(read):
    book = read('<p><a name="x"/>One.</p><p><a href="#x">Up</a></p>')
    assert book.markdown == '<a id="x"></a>One.\n\n[Up](#x)'


def test_xml_id_is_a_target(read):
    book = read('<p xml:id="x">One.</p><p><a href="#x">Up</a></p>')
    assert book.markdown == '<a id="x"></a>One.\n\n[Up](#x)'


def test_id_above_the_body_is_the_start_of_the_document(read, wrap):
    chapter = wrap('<p>One. <a href="#top">Up</a></p>').replace("<html", '<html id="top"')
    assert read(chapter).markdown == '<a id="top"></a>One. [Up](#top)'


@pytest.mark.parametrize(
    "markup",
    [
        '<table><tr><th id="x">h</th></tr><tr><td>c</td></tr></table>',
        '<table id="x"><tr><th>h</th></tr><tr><td>c</td></tr></table>',
        '<table><tr id="x"><th>h</th></tr><tr><td>c</td></tr></table>',
        '<ul id="x"><li>a</li></ul>',
        '<ul><li id="x">a</li></ul>',
        '<blockquote id="x"><p>q</p></blockquote>',
        '<pre id="x">a\n  b</pre>',
        '<pre>a\n  <b id="x">b</b></pre>',
        '<p><code id="x">a</code></p>',
        '<p><code>a<b id="x">b</b></code></p>',
        '<h2 id="x">h</h2>',
        '<hr id="x"/>',
        '<p id="x"><img src="p.png" alt="p"/></p>',
        '<p><img id="x" src="p.png" alt="p"/></p>',
        '<p><a id="x" href="https://example.org">a</a></p>',
        '<p><a href="https://example.org"><b id="x">a</b></a></p>',
        '<p><em>a<span id="x"/>b</em></p>',
        '<dl id="x"><dt>t</dt><dd>d</dd></dl>',
        '<dl><dt id="x">t</dt><dd>d</dd></dl>',
        '<math id="x" xmlns="http://www.w3.org/1998/Math/MathML"><mi>a</mi></math>',
        '<p>a<math xmlns="http://www.w3.org/1998/Math/MathML"><mi id="x">a</mi></math></p>',
        '<svg xmlns="http://www.w3.org/2000/svg"><text id="x">t</text></svg>',
        '<p><ruby id="x">a<rt>b</rt></ruby></p>',
        '<p>a<br id="x"/>b</p>',
        '<div id="x"/>',
        '<p id="x"> </p>',
        '<script id="x"/>',
        '<video id="x"><p>fallback</p></video>',
        '<select><option id="x">a</option></select>',
        '<form id="x"><input id="y"/></form>',
        '<figure id="x"><figcaption>f</figcaption></figure>',
        '<details><summary id="x">s</summary>d</details>',
        '<div hidden="hidden"><p id="x">h</p></div>',
    ],
)
def test_target_inside_any_element_can_be_reached(read, markup):
    book = read(f'<p><a href="#x">go</a></p>{markup}<p>after</p>', files={"OPS/p.png": b"x"})
    assert book.markdown.startswith("[go](#x)")
    assert book.all("source.link_target_missing") == []


def test_text_of_a_link_to_a_fallback_is_found_by_the_spine_items_name(read):
    items = (
        '<item id="v" href="p.svg" media-type="application/x-drawing" fallback="x"/>'
        '<item id="x" href="p.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
    )
    chapters = {"c.xhtml": '<p><a href="p.svg">drawing</a></p>', "p.xhtml": "<p>As text.</p>", "p.svg": "<svg/>"}
    book = read(chapters, items=items, spine='<itemref idref="c"/><itemref idref="v"/>')
    assert book.texts == ["[drawing](#p)", '<a id="p"></a>As text.']
    assert book.segments[1].provenance[0].metadata["fallback"] == {"spine_item": "v", "used_item": "x"}


def test_output_holds_no_spans_without_purpose(read):
    markup = '<div id="w"><div id="w2"><span id="s"/><p id="p"><span id="t">Text</span><a id="u"/></p></div></div>'
    assert read(markup).markdown == "Text"
