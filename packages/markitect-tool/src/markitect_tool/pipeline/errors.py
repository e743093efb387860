"""What stops a whole run, by what a person would do about it. What is wrong with one document stops nothing.

::

    ReportedError
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

from markitect_tool.errors import ReportedError


class PipelineError(ReportedError):
    """A run cannot begin or go on."""

    code = "pipeline.configuration_invalid"


class ConfigurationError(PipelineError):
    """What was asked for cannot be run."""


class TargetError(PipelineError):
    """The target holds something already."""

    code = "pipeline.target_not_empty"


class WorkersFailedError(PipelineError):
    """Worker processes end before they begin."""

    code = "pipeline.workers_failed"


class CheckpointError(PipelineError):
    """The checkpoint cannot be used."""

    code = "pipeline.checkpoint_corrupt"


class MissingCheckpointError(CheckpointError):
    """There is no checkpoint."""

    code = "pipeline.checkpoint_missing"


class ForeignCheckpointError(CheckpointError):
    """The file is not one of ours."""

    code = "pipeline.checkpoint_foreign"


class NewerCheckpointError(CheckpointError):
    """The file was made by a later version."""

    code = "pipeline.checkpoint_newer"


class CheckpointInUseError(CheckpointError):
    """Another run is working on the target."""

    code = "pipeline.checkpoint_in_use"


class CheckpointUnwritableError(CheckpointError):
    """The system refuses to write the checkpoint."""

    code = "storage.unavailable"
