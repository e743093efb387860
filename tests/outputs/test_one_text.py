"""One text with front matter, or as a record for each segment."""

import json

import yaml


def test_front_matter_stands_before_the_text(mkt, harbour):
    plain, headed = mkt(harbour).stdout, mkt(harbour, "--front-matter", "yaml").stdout
    _, head, text = headed.split("---\n", 2)
    assert text == f"\n{plain}"
    assert yaml.safe_load(head)["title"] == "Book"


def test_each_line_is_a_segment(mkt, harbour, here):
    lines = mkt(harbour, "--format", "jsonl").stdout.splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["heading"] for record in records] == ["One", "Two"]
    text = mkt(harbour).stdout.encode()
    assert [text[record["byte_start"] : record["byte_end"]].decode() for record in records] == [
        record["text"] for record in records
    ]


def test_line_ends_of_unicode_do_not_end_a_record(mkt, here):
    (here / "a.md").write_text("a\u2028b\u0085c", encoding="utf-8")
    (line,) = mkt("a.md", "--format", "jsonl").stdout.splitlines()
    assert json.loads(line)["text"] == "a\u2028b\u0085c"
