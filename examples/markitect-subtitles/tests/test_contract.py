"""The contract, inherited: everything that any adapter owes its users."""

from markitect_tool.testing import AdapterContract, Sample


def srt(*cues: tuple[str, str, str]) -> bytes:
    """A subtitle file with these starts, ends and texts."""
    blocks = [f"{number}\n{start} --> {end}\n{text}\n" for number, (start, end, text) in enumerate(cues, 1)]
    return "\n".join(blocks).encode()


class TestSubRipAdapter(AdapterContract):
    entry_point = "markitect_subtitles:subrip_adapter_descriptor"
    good = Sample(
        "ferry.srt",
        srt(
            ("00:00:01,000", "00:00:02,500", "Is this the ferry?"),
            ("00:00:03,000", "00:00:04,000", "<i>It was.</i>"),
            ("00:00:11,000", "00:00:12,000", "- Then we swim."),
        ),
    )
    malformed = Sample("ferry.srt", b"Is this the ferry?\n\nIt was.\n")
    large = Sample(
        "long.srt",
        srt(*[(f"{hour:02}:00:01,000", f"{hour:02}:00:02,000", "Still here.") for hour in range(99)]),
    )
    options = {"pause": 60, "times": False}
    invalid_options = {"pause": "long"}
