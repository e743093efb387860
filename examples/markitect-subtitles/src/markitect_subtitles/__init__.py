"""SubRip subtitles for Markitect. Importing this package imports no parser: listing adapters stays cheap."""

from markitect_tool.source.protocol import SourceAdapterDescriptor, SourceReadAdapter


def subrip_adapter_descriptor() -> SourceAdapterDescriptor:
    """What the entry point of this package leads to."""
    return SourceAdapterDescriptor(
        id="source.subrip",
        version="1.0.0",
        name="SubRip subtitles",
        operations=["read"],
        media_types=["application/x-subrip"],
        extensions=[".srt"],
        factory=_make_adapter,
        summary="Subtitles as a transcript: a passage for every pause, with the time at which it starts.",
        option_schema={
            "properties": {
                "pause": {
                    "type": "number",
                    "minimum": 0,
                    "default": 3,
                    "description": "Seconds of silence that start a new passage.",
                },
                "times": {
                    "type": "boolean",
                    "default": True,
                    "description": "Write the time at which a passage starts in front of it.",
                },
            },
            "additionalProperties": False,
        },
        safety={"network": False, "external_processes": False},
        quality_profile={"lossiness": "low"},
    )


def _make_adapter() -> SourceReadAdapter:
    from markitect_subtitles.adapter import SubRipAdapter

    return SubRipAdapter(subrip_adapter_descriptor())
