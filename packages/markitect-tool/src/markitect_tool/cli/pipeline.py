"""`mkt pipeline`: whole libraries, as often interrupted as it may be."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

from markitect_tool.cli.output import as_json, as_yaml, report, write, write_styled
from markitect_tool.cli.parameters import adapter_option, assignments, output_option

if TYPE_CHECKING:
    from types import FrameType

    from markitect_tool.pipeline.config import Configuration
    from markitect_tool.pipeline.runner import Interruption

FAILED, MISUSED = 1, 2
_LOST = "storage.not_found"  # what was done is not kept after all: the hint says how to go on
_MISUSES = (  # nothing has begun; whatever happened, it is the command that has to change
    "pipeline.configuration_invalid",
    "pipeline.target_not_empty",
    "pipeline.checkpoint_exists",
    "source.invalid_option",
    "source.unknown_adapter",
    "source.unknown_option",
    "storage.unsupported",
)
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_NOHUP = getattr(signal, "SIGHUP", None)


def _quantity(_ctx: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """A size or a time, checked as early as any other flag; it stays a text, as it is in a file."""
    from markitect_tool.pipeline.quantities import parse_seconds, parse_size

    if value is not None:
        try:
            (parse_seconds if parameter.name == "timeout" else parse_size)(value)
        except ValueError as error:
            raise click.BadParameter(f"{error}.") from error
    return value


_checkpoint_option = click.option(
    "--checkpoint", metavar="FILE", help="Where the run keeps its books; default: inside a local target."
)
_limit_options = (
    click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes; default: one for each processor."),
    click.option(
        "--timeout", metavar="TIME", callback=_quantity, help="Longest time for one document; default: 5m. `none`: any."
    ),
    click.option(
        "--memory", metavar="SIZE", callback=_quantity, help="Most memory of a worker; default: 2GiB. `none`: any."
    ),
    click.option("--report", metavar="FILE", help="Write a page about the run: what failed, what was slow, and why."),
)


def _options(*parameters: Callable[..., Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def add(command: Callable[..., None]) -> Callable[..., None]:
        for parameter in reversed(parameters):
            command = parameter(command)
        return command

    return add


@click.group()
def pipeline() -> None:
    """Convert whole libraries: run, resume, look, retry.

    Exit status: 0 every document was converted or screened out; 1 a document failed, or the run could not go on; 2 the
    command was misused, or the target holds something already; 130 or 143 it was interrupted. Whatever ended a run,
    `run --resume` continues it.
    """


@pipeline.command(short_help="Convert every document of the sources.")
@click.argument("sources", metavar="[SRC]...", nargs=-1)
@_options(
    click.option("--out", metavar="URL", help="Folder for the results: a path, or any URL of fsspec (s3://...)."),
    click.option(
        "--format",
        "style",
        metavar="FORMAT",
        help="markdown (default): a file for each document; segments: a file for each segment; jsonl; parquet.",
    ),
    click.option("--level", metavar="LEVEL", help="One line or row for each document (default) or segment."),
    click.option("--shards", type=click.IntRange(1), metavar="N", help="Files that jsonl and parquet are spread over."),
    adapter_option,
    click.option(
        "--option",
        "option_texts",
        multiple=True,
        metavar="KEY=VALUE",
        callback=assignments,
        help="Option of an adapter; repeatable. See `mkt source adapters --adapter ID`.",
    ),
    click.option("--max-size", metavar="SIZE", callback=_quantity, help="Larger documents are screened out."),
    click.option("--resume/--no-resume", default=None, help="Continue an earlier run; without one, begin."),
    click.option("--restart/--no-restart", default=None, help="Begin anew in a target that holds results already."),
    click.option("--quick/--no-quick", default=None, help="When resuming, trust sizes and times; compare no contents."),
    click.option(
        "--prune/--no-prune", default=None, help="Remove results of documents that are gone from the sources."
    ),
    click.option("--strict/--no-strict", default=None, help="Documents that are screened out count as failed."),
    click.option("--engine", metavar="ENGINE", help="local (default), or ray: a cluster."),
    click.option("--address", metavar="ADDRESS", help="Of the Ray cluster."),
    *_limit_options,
    _checkpoint_option,
    click.option("--config", metavar="FILE", help="Settings from a YAML file; flags come before them."),
)
def run(sources: tuple[str, ...], config: str | None, option_texts: list[tuple[str, str]], **flags: Any) -> None:
    """Convert every document of the sources SRC, and keep count of it.

    SRC is a folder, a pattern ('books/**/*.epub'), a file, @LIST (a file with a path or URL a line), or a context
    manifest. What happened to each document is remembered in the target: a run that was interrupted, by whatever,
    continues with --resume.
    """
    names = {"style": "format", "max_size": "max-size", "adapter_id": "adapter"}
    given = {names.get(name, name): value for name, value in flags.items() if value is not None}
    if sources:
        given["sources"] = sources
    with _explained():
        from markitect_tool.pipeline.config import configure

        configuration = configure(given, config, option_texts)
    _run(configuration)


@pipeline.command(short_help="Show what a run came to, or how far it is.")
@click.argument("out")
@click.option("--format", "style", type=click.Choice(["text", "json", "yaml"]), default="text", show_default=True)
@click.option("--report", "page", metavar="FILE", help="Write the page about the run.")
@output_option
@_checkpoint_option
@click.option("-v", "--verbose", is_flag=True, help="Name every document that has no result.")
def status(out: str, style: str, page: str | None, output: str | None, checkpoint: str | None, verbose: bool) -> None:
    """Show what the runs into OUT came to: counts, causes, and which documents have no result.

    Also while a run is at work. Exit status: 0 whatever it shows, 1 when there is nothing to show.
    """
    with _explained():
        from markitect_tool.cli.run_summary import as_data, as_text
        from markitect_tool.pipeline.recall import summarize
        from markitect_tool.pipeline.storage import open_url
        from markitect_tool.pipeline.target import Target

        target = Target.of(open_url(out), checkpoint)
        summary = summarize(target.checkpoint, running=target.is_busy())
        if style == "text":
            write_styled(as_text(summary, most=None if verbose else 20), output)
        else:
            write({"json": as_json, "yaml": as_yaml}[style](as_data(summary)), output)
        if page:
            _write_report(summary, page)


@pipeline.command(short_help="Try failed documents again.")
@click.argument("out")
@_options(
    click.option("--code", metavar="CODE", help="Only documents with this diagnostic, such as pipeline.timeout."),
    *_limit_options,
    _checkpoint_option,
)
def retry(out: str, code: str | None, checkpoint: str | None, **flags: Any) -> None:
    """Try the failed documents of the last run into OUT again, with its settings.

    With --code also those that were screened out for that reason.
    """
    with _explained():
        from markitect_tool.pipeline.config import configure_retry

        configuration = configure_retry(out, checkpoint, code, {k: v for k, v in flags.items() if v is not None})
    _run(configuration)


def _run(configuration: Configuration) -> None:
    """Run, show how it went, and end with the status that says so."""
    from markitect_tool.cli.progress import say, watcher
    from markitect_tool.cli.run_summary import as_text
    from markitect_tool.pipeline.runner import Interruption, run_pipeline

    interruption, watching = Interruption(), watcher()
    with _explained(lambda: watching.begun, configuration), _signals(interruption, say) as received:
        try:
            summary = run_pipeline(configuration.plan, configuration.settings, watching, interruption)
        except KeyboardInterrupt:
            watching.close()
            say(f"Interrupted. {_continuing(configuration)}")
            sys.exit(128 + received[0])
        finally:
            watching.close()
        if configuration.settings.mode == "retry" and not watching.documents:
            say("There is nothing to try again. What the last run came to:")
        say(click.unstyle(as_text(summary, most=20)))
        if configuration.report:
            _write_report(summary, configuration.report)
    if summary.cause is not None:
        report([summary.cause], verbose=False)
    if summary.state != "complete":
        say(_continuing(configuration))
    if received:
        sys.exit(128 + received[0])
    bad = summary.counts["failed"] or (configuration.strict and summary.counts["screened"])
    sys.exit(FAILED if bad or summary.state != "complete" else 0)


def _write_report(summary: Any, path: str) -> None:
    from markitect_tool.reports.run import run_report

    write(run_report(summary), path)


@contextmanager
def _signals(interruption: Interruption, say: Callable[[str], None]) -> Iterator[list[int]]:
    """Turn the first signal into a polite request, where the run can answer it, and the second into an order."""
    received: list[int] = []

    def on_signal(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        if interruption.abrupt or interruption.wanted:
            interruption.wanted = True
            raise KeyboardInterrupt
        interruption.wanted = True
        say("Stopping: documents in hand are being finished. Once more stops at once.")

    # `nohup` says that the end of the terminal is not to matter.
    heeded = [number for number in _SIGNALS if number != _NOHUP or signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, on_signal) for number in heeded}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _explained(begun: Callable[[], bool] = lambda: False, configuration: Configuration | None = None) -> Iterator[None]:
    """An error ends the command, with what to do about it."""
    from markitect_tool.errors import MarkitectError, ReportedError

    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pydantic", "fsspec", "pyarrow", "ray", "rich"):
            raise
        _fail_without_library(error.name)
    except MarkitectError as error:
        if not isinstance(error, ReportedError):
            raise click.ClickException(str(error)) from error
        found = error.diagnostic
        report([found], verbose=False)
        if found.code in _MISUSES:
            sys.exit(MISUSED)
        if configuration is not None and begun() and found.code != _LOST:
            click.echo(_continuing(configuration), err=True)
        sys.exit(FAILED)


def _fail_without_library(name: str) -> NoReturn:
    extra = "ray" if name.partition(".")[0] == "ray" else "pipeline"
    raise click.ClickException(
        f"mkt pipeline needs {name}, which is not installed.\nhint: pip install 'markitect-tool[{extra}]'"
    )


def _continuing(configuration: Configuration) -> str:
    """How to go on with a run."""
    if configuration.settings.mode == "retry":
        return "What was done is kept. Give the same command again to go on."
    return "What was done is kept. Give the same command with --resume to go on."
