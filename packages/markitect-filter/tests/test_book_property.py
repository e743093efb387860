"""Random books: whatever notes, links, pages and anchors they mix, each word comes out once and everything resolves."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

IDS = ["a", "b", "n1", "n2", "fn3", "p.4", "ä"]
MEMBERS = ["", "c1.xhtml", "c2.xhtml", "c3.xhtml", "gone.xhtml"]
LABELS = ["1", "2", "*", "[1]", "(a)", "ii", "↩"]

identified = st.sampled_from(["", "", *(f' id="{name}"' for name in IDS)])
hrefs = st.builds(
    lambda member, fragment: member + (f"#{fragment}" if fragment else "") or "#",
    st.sampled_from(MEMBERS),
    st.sampled_from(["", *IDS]),
)
word = st.just("\N{WHITE SQUARE}")  # becomes a word of its own
inline = st.one_of(
    word,
    st.builds('<a href="{}"{}>{}</a>'.format, hrefs, identified, st.sampled_from(LABELS)),
    st.builds('<sup><a href="{}"{}>{}</a></sup>'.format, hrefs, identified, st.sampled_from(LABELS)),
    st.builds('<a epub:type="noteref" href="{}"{}>{}</a>'.format, hrefs, identified, st.sampled_from(LABELS)),
    st.builds('<a href="{}">{}</a>'.format, hrefs, word),
    st.builds("<em{}>{}</em>".format, identified, word),
    st.builds("<span{}/>".format, identified),
    st.builds('<span epub:type="pagebreak"{} title="{}"/>'.format, identified, st.integers(1, 9)),
)
text = st.lists(inline, min_size=1, max_size=5).map(" ".join)
leaf = st.one_of(
    st.builds("<p{}>{}</p>".format, identified, text),
    st.builds("<h2{}>{}</h2>".format, identified, text),
    st.builds("<pre{}>{}</pre>".format, identified, word),
    st.builds("<table{}><tr><td{}>{}</td><td>{}</td></tr></table>".format, identified, identified, text, text),
    st.builds("<div{}/>".format, identified),
    text,
)


def containers(children):
    content = st.lists(children, max_size=4).map("".join)
    return st.one_of(
        st.builds("<div{}>{}</div>".format, identified, content),
        st.builds("<section{}>{}</section>".format, identified, content),
        st.builds("<blockquote{}>{}</blockquote>".format, identified, content),
        st.builds("<ul{}><li{}>{}</li><li>{}</li></ul>".format, identified, identified, content, content),
        st.builds('<aside epub:type="footnote"{}>{}</aside>'.format, identified, content),
        st.builds('<section epub:type="endnotes"><ol><li{}>{}</li></ol></section>'.format, identified, content),
        st.builds(
            '<div hidden="hidden"{}>{}</div>'.format, identified, children.map(lambda c: c.replace("\u25a1", "0"))
        ),
    )


chapters = st.lists(st.recursive(leaf, containers, max_leaves=12).map("{}".format), min_size=1, max_size=4).map("".join)
books = st.lists(chapters, min_size=1, max_size=3)
options = st.fixed_dictionaries(
    {"segment_by": st.sampled_from(["toc", "spine", "heading"]), "notes": st.sampled_from(["footnotes", "keep"])}
)
entries = st.lists(st.builds(lambda href: ("entry", href), hrefs), max_size=5)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(books, options, entries)
def test_every_word_comes_out_once_and_everything_resolves(read, book, chosen, toc):
    count = 0

    def numbered(_):
        nonlocal count
        count += 1
        return f"word{count}w"

    documents = [re.sub("\u25a1", numbered, chapter) for chapter in book]
    found = read(documents, chosen, toc=toc or [("one", "c1.xhtml")])
    words = re.findall(r"word\d+w", found.markdown)
    assert sorted(words) == sorted(f"word{n}w" for n in range(1, count + 1))
    assert all(segment.markdown for segment in found.segments)
