"""What stops a whole run, by what a person would do about it. What is wrong with one document stops nothing.

::

    MarkitectError
    └── PipelineError               carries `.diagnostic`
        ├── ConfigurationError          pipeline.configuration_invalid: a pipeline.yaml, or a run that cannot be
        ├── TargetError                 pipeline.target_not_empty, pipeline.checkpoint_exists
        ├── WorkersFailedError          pipeline.workers_failed: no worker process can be started
        └── CheckpointError             pipeline.checkpoint_corrupt
            ├── MissingCheckpointError      pipeline.checkpoint_missing
            ├── ForeignCheckpointError      pipeline.checkpoint_foreign: some other program's file
            ├── NewerCheckpointError        pipeline.checkpoint_newer
            ├── CheckpointInUseError        pipeline.checkpoint_in_use: another run is working on the target
            └── CheckpointUnwritableError   storage.full, storage.read_only, storage.denied, storage.unavailable
"""

from __future__ import annotations

from typing import Any, ClassVar

from markitect_tool.diagnostics import Diagnostic, diagnostic
from markitect_tool.errors import MarkitectError


class PipelineError(MarkitectError):
    """A run cannot begin or go on. The keyword arguments are those of `markitect_tool.diagnostics.diagnostic`."""

    default_code: ClassVar[str] = "pipeline.configuration_invalid"
    diagnostic: Diagnostic

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        source: str | None = None,
        line: int | None = None,
        hint: str | None = None,
        **details: Any,
    ) -> None:
        super().__init__(message)
        self.diagnostic = diagnostic(code or self.default_code, message, source=source, line=line, hint=hint, **details)


class ConfigurationError(PipelineError):
    """What was asked for cannot be run."""


class TargetError(PipelineError):
    """The target holds something already."""

    default_code = "pipeline.target_not_empty"


class WorkersFailedError(PipelineError):
    """Worker processes end before they begin."""

    default_code = "pipeline.workers_failed"


class CheckpointError(PipelineError):
    """The checkpoint cannot be used."""

    default_code = "pipeline.checkpoint_corrupt"


class MissingCheckpointError(CheckpointError):
    """There is no checkpoint."""

    default_code = "pipeline.checkpoint_missing"


class ForeignCheckpointError(CheckpointError):
    """The file is not one of ours."""

    default_code = "pipeline.checkpoint_foreign"


class NewerCheckpointError(CheckpointError):
    """The file was made by a later version."""

    default_code = "pipeline.checkpoint_newer"


class CheckpointInUseError(CheckpointError):
    """Another run is working on the target."""

    default_code = "pipeline.checkpoint_in_use"


class CheckpointUnwritableError(CheckpointError):
    """The system refuses to write the checkpoint."""

    default_code = "storage.unavailable"
