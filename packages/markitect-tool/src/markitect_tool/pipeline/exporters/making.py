"""From the name of a format to its exporter."""

from __future__ import annotations

from importlib.util import find_spec

from markitect_tool.pipeline.errors import ConfigurationError
from markitect_tool.pipeline.exporters.base import Level
from markitect_tool.pipeline.stages import Exporter

FORMATS = ("markdown", "segments", "jsonl", "parquet")
_MERGING = ("jsonl", "parquet")
_LEVELS = ("document", "segment")
MAX_SHARDS = 10_000


def make_exporter(format: str, *, level: Level = "document", shards: int = 1) -> Exporter:
    """The exporter of a format. `level` and `shards` are for the formats that merge.

    Raises `ConfigurationError` for an unknown format or a value that it does not have, and when pyarrow is missing.
    """
    if format not in FORMATS:
        raise ConfigurationError(f"There is no format {format!r}.", hint=f"Formats: {', '.join(FORMATS)}.")
    if level not in _LEVELS:
        raise ConfigurationError(f"There is no level {level!r}.", hint=f"Levels: {', '.join(_LEVELS)}.")
    if isinstance(shards, bool) or not isinstance(shards, int) or not 1 <= shards <= MAX_SHARDS:
        raise ConfigurationError(f"The number of shards lies between 1 and {MAX_SHARDS:,}; got {shards!r}.")
    if format not in _MERGING and shards != 1:
        raise ConfigurationError(
            f"The format {format} has no shards: it writes files for each document.", hint="Leave the shards out."
        )
    if format == "markdown":
        if level == "segment":
            raise ConfigurationError(
                "The format markdown writes documents.", hint="The format segments writes a file for each segment."
            )
        from markitect_tool.pipeline.exporters.markdown import MarkdownExporter

        return MarkdownExporter()
    if format == "segments":
        from markitect_tool.pipeline.exporters.segments import SegmentsExporter

        return SegmentsExporter()
    if format == "jsonl":
        from markitect_tool.pipeline.exporters.jsonl import JsonlExporter

        return JsonlExporter(level, shards)
    if find_spec("pyarrow") is None:
        raise ConfigurationError(
            "The format parquet needs pyarrow, which is not installed.", hint="pip install 'markitect-tool[pipeline]'"
        )
    from markitect_tool.pipeline.exporters.parquet import ParquetExporter

    return ParquetExporter(level, shards)
