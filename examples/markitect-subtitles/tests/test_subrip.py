"""What this adapter does that no other has to."""

from markitect_subtitles import subrip_adapter_descriptor
from markitect_tool import SourceAdapterRegistry, normalize_source

BLOCK = "{}\n00:00:{:02},000 --> 00:00:{:02},000\n{}\n\n"


def normalize(text, **options):
    content = text if isinstance(text, bytes) else text.encode()
    return normalize_source(
        content,
        uri="sample:talk.srt",
        options=options,
        registry=SourceAdapterRegistry([subrip_adapter_descriptor()]),
    )


def test_pause_starts_a_passage():
    text = BLOCK.format(1, 1, 2, "One.") + BLOCK.format(2, 3, 4, "Two.") + BLOCK.format(3, 9, 10, "Three.")
    document = normalize(text).document
    assert document.markdown == "**00:00:01** One. Two.\n\n**00:00:09** Three."


def test_offsets_are_the_times_of_the_passage():
    span = normalize(BLOCK.format(1, 1, 2, "One.")).document.segments[0].provenance[0]
    assert (span.start_offset, span.end_offset) == (1000, 2000)


def test_dialogue_dash_does_not_become_a_list():
    assert normalize(BLOCK.format(1, 1, 2, "- Well?"), times=False).document.markdown == "\\- Well?"


def test_markdown_characters_stay_characters():
    assert normalize(BLOCK.format(1, 1, 2, "2 * 3 * 4 [sic]"), times=False).document.markdown == r"2 \* 3 \* 4 \[sic\]"


def test_styling_is_left_out_and_reported():
    result = normalize(BLOCK.format(1, 1, 2, '{\\an8}<font color="red">Stop!</font>'), times=False)
    assert result.document.markdown == "Stop!"
    assert [(entry.code, entry.details["count"]) for entry in result.diagnostics] == [("source.feature_unsupported", 3)]


def test_text_of_a_block_without_times_is_kept_and_reported():
    result = normalize(BLOCK.format(1, 1, 2, "One.") + "no times here\n\n", times=False)
    assert result.document.markdown == "One. no times here"
    assert [(entry.code, entry.line) for entry in result.diagnostics] == [("source.markup_recovered", 5)]


def test_windows_1252_is_read_with_a_warning():
    result = normalize(BLOCK.format(1, 1, 2, "Café").encode("cp1252"), times=False)
    assert result.document.markdown == "Café"
    assert [entry.code for entry in result.diagnostics] == ["source.encoding_recovered"]


def test_hours_without_end_are_no_time():
    """Python refuses to read a number of more than 4,300 digits."""
    content = b"1\n" + b"9" * 5000 + b":00:00,000 --> 00:00:02,000\nIs this the ferry?\n"
    assert [found.code for found in normalize(content).diagnostics][-1] == "source.malformed"
