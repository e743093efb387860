"""`mkt source report`: where the page goes, what is said, and the exit status."""

import sys

import pytest


def test_report_is_written_to_a_file(mkt, tmp_path):
    (tmp_path / "log.md").write_text("# Log\n\nLow water.")
    ended = mkt("source", "report", "log.md", "--output", "log.html")
    page = (tmp_path / "log.html").read_text()
    assert (ended.exit_code, ended.output) == (0, "")
    assert page.startswith("<!DOCTYPE html>")
    assert "Low water." in page


def test_without_output_the_page_is_printed(mkt, tmp_path):
    (tmp_path / "log.md").write_text("Low water.")
    assert mkt("source", "report", "log.md").stdout.endswith("</html>\n")


def test_standard_input_has_a_report(mkt):
    ended = mkt("source", "report", "-", "--media-type", "text/plain", input=b"Low water.")
    assert (ended.exit_code, "Low water." in ended.stdout) == (0, True)


def test_source_with_errors_has_a_report_and_fails(mkt, tmp_path):
    ended = mkt("source", "report", "nowhere.md", "--output", "page.html")
    assert ended.exit_code == 1
    assert "source.not_found" in ended.stderr
    assert "No such file: nowhere.md." in (tmp_path / "page.html").read_text()


def test_options_go_to_the_adapter(mkt, tmp_path):
    (tmp_path / "log.md").write_text("# One\n\n## Two\n\ntext")
    ended = mkt("source", "report", "log.md", "--option", "segment_level=1", "--uri", "test:log")
    assert "s-1" in ended.stdout
    assert 'id="s-2"' not in ended.stdout
    assert "test:log" in ended.stdout


def test_without_the_extra_it_says_what_to_install_and_writes_nothing(mkt, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    (tmp_path / "log.md").write_text("Low water.")
    ended = mkt("source", "report", "log.md", "--output", "log.html")
    assert (ended.exit_code, (tmp_path / "log.html").exists()) == (1, False)
    assert "pip install markitect-tool[report]" in ended.stderr


@pytest.mark.parametrize("target", [".", "no/such/folder/page.html"])
def test_page_that_cannot_be_written_fails_with_a_message(mkt, tmp_path, target):
    (tmp_path / "log.md").write_text("Low water.")
    ended = mkt("source", "report", "log.md", "--output", target)
    assert ended.exit_code == 1
    assert "Cannot write" in ended.stderr
