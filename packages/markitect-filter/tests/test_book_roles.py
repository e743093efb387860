"""Roles, end to end: each segment says its role and why; what is left out is reported and in the ledger."""

import pytest

COVER = '<section epub:type="cover"><img src="c.png" alt="Front"/></section>'
CONTENTS = '<section epub:type="toc"><h1>Contents</h1><a href="c2.xhtml">One</a></section>'
FILES = {"OPS/c.png": b"x"}


def test_segment_says_its_role_and_on_what_ground(read):
    book = read(["<p>a</p>", '<section epub:type="dedication"><p>To Ann.</p></section>'])
    assert [(s.metadata["role"], s.metadata["role_ground"]) for s in book.segments] == [
        ("body", "default"),
        ("dedication", "epub:type=dedication"),
    ]


def test_cover_and_contents_are_left_out_reported_and_in_the_ledger(read):
    book = read([COVER, "<p>a</p>", CONTENTS.replace("c2", "c2")], files=FILES)
    assert book.texts == ["a"]
    assert [entry.details["role"] for entry in book.all("source.item_skipped")] == ["cover", "toc"]
    assert book.ledger == {"total": 12, "emitted": 1, "skipped": {"toc": 11}}
    assert book.document.quality.skipped_items == 2


def test_keep_brings_a_role_back(read):
    book = read([COVER, "<p>a</p>", CONTENTS], {"keep": "cover,toc"}, files=FILES)
    assert [segment.metadata["role"] for segment in book.segments] == ["cover", "body", "toc"]
    assert book.all("source.item_skipped") == []


def test_skip_leaves_a_document_out(read):
    book = read(["<p>a</p>", '<section epub:type="index"><p>salt, 3</p></section>'], {"skip": "index"})
    assert book.texts == ["a"]
    assert book.ledger["skipped"] == {"index": len("salt,3")}


def test_skip_leaves_a_part_of_a_document_out(read):
    book = read('<p>a</p><section epub:type="index"><p>salt, 3</p></section><p>b</p>', {"skip": "index"})
    assert book.markdown == "a\n\nb"
    assert book.one("source.item_skipped").line == 1


def test_parts_of_a_document_name_their_roles(read):
    book = read('<p>a</p><section epub:type="index"><p>salt, 3</p></section>')
    assert book.segments[0].metadata["parts"] == ["index"]


def test_segment_that_starts_inside_of_a_part_has_the_role_of_the_part(read):
    chapter = (
        '<h1 id="a">A</h1><p>a</p><section epub:type="dedication"><h2 id="b">B</h2><p>b</p></section>'
        '<h1 id="c">C</h1><p>c</p>'
    )
    book = read(chapter, toc=[("A", "c1.xhtml#a"), ("B", "c1.xhtml#b"), ("C", "c1.xhtml#c")])
    assert [s.metadata["role"] for s in book.segments] == ["body", "dedication", "body"]
    assert book.segments[1].metadata["role_ground"] == "epub:type=dedication"


def test_contents_entry_of_a_part_that_is_left_out_names_no_other_text(read):
    chapter = '<h1 id="a">A</h1><p>a</p><section epub:type="index"><h2 id="b">B</h2><p>b</p></section><p>after</p>'
    book = read(chapter, {"skip": "index"}, toc=[("A", "c1.xhtml#a"), ("Index", "c1.xhtml#b")])
    assert book.texts == ["# A\n\na\n\nafter"]
    assert [entry["segment"] for entry in book.document.metadata.raw["toc"]] == ["a", "a"]


def test_part_that_is_the_whole_document_is_not_named_twice(read):
    book = read('<section epub:type="dedication"><p>To Ann.</p></section>')
    assert book.segments[0].metadata == {
        "role": "dedication",
        "role_ground": "epub:type=dedication",
        "section_path": ["c1"],
    }


def test_navigation_document_in_the_spine_keeps_its_prose_and_not_its_lists(read):
    nav = '<h1>How to read</h1><p>Slowly.</p><nav epub:type="toc"><ol><li><a href="c1.xhtml">One</a></li></ol></nav>'
    book = read(["<p>a</p>"], nav=nav, spine='<itemref idref="nav"/><itemref idref="i1"/>')
    assert book.texts == ["# How to read\n\nSlowly.", "a"]
    assert book.ledger["skipped"] == {"toc": len("One")}


def test_navigation_document_outside_of_the_spine_is_no_text(read):
    items = (
        '<item id="i2" href="c2.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        '<item id="i1" href="c1.xhtml" media-type="application/xhtml+xml"/>'
    )
    nav = '<nav epub:type="toc"><ol><li><a href="c1.xhtml">One</a></li></ol></nav>'
    book = read(["<p>1</p>", "<p>2</p>"], nav=nav, items=items)
    assert book.texts == ["1", "2"]


def test_documents_outside_of_the_linear_order_keep_their_place(read):
    spine = '<itemref idref="i1"/><itemref idref="i2" linear="no"/><itemref idref="i3"/>'
    book = read(["<p>1</p>", "<p>2</p>", "<p>3</p>"], spine=spine)
    assert book.texts == ["1", "2", "3"]
    assert [segment.provenance[0].metadata.get("auxiliary", False) for segment in book.segments] == [False, True, False]


def test_page_of_links_is_no_navigation(read):
    links = "".join(f'<li><a href="https://example.org/{n}">{n}</a></li>' for n in ("One", "Two", "Three"))
    book = read(f"<h1>Sources</h1><ul>{links}</ul>")
    assert book.markdown.count("https://example.org/") == 3
    assert book.segments[0].metadata["role"] == "body"


@pytest.mark.parametrize("entries", [(), [("Start", "c1.xhtml")]])
def test_text_follows_the_spine_however_poor_the_contents(read, entries):
    book = read([COVER, "<p>one</p>", "<p>two</p>"], toc=entries, files=FILES)
    assert book.texts == ["one", "two"]


def test_boilerplate_of_the_producer_is_named_and_may_be_left_out(read):
    chapter = (
        "<p>Ann made this.</p><p>*** START OF THE PROJECT GUTENBERG EBOOK SALT ***</p><p>text</p>"
        "<p>*** END OF THE PROJECT GUTENBERG EBOOK SALT ***</p><p>Licence terms.</p>"
    )
    assert read(chapter).segments[0].metadata["parts"] == ["header", "footer"]
    assert read(chapter, {"skip": "header,footer"}).markdown == "text"


def test_hidden_content_is_left_out_and_counted(read):
    book = read('<p>a</p><p hidden="hidden">secret</p>')
    assert book.markdown == "a"
    assert book.ledger["skipped"] == {"hidden": len("secret")}


def test_attribute_in_capitals_counts(read):
    assert read("<P HIDDEN>secret</P><p>a").markdown == "a"
