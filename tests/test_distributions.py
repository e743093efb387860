"""The packages as users get them: built as wheels, installed into empty environments, found there."""

import importlib.metadata
import json
import subprocess
import sys
import zipfile

import markitect_filter
import pytest

TALK = "1\n00:00:01,000 --> 00:00:02,000\nIs this the ferry?\n"


@pytest.mark.parametrize(
    "distribution", ["markitect-tool", "markitect-filter", "markitect-subtitles", "markitect-example-context-crm"]
)
def test_distribution_builds_as_a_wheel(wheels, distribution):
    assert distribution in wheels


@pytest.mark.parametrize("distribution", ["markitect-tool", "markitect-filter"])
def test_wheel_has_licence_and_type_marker_and_no_tests(wheels, distribution):
    package = distribution.replace("-", "_")
    names = zipfile.ZipFile(wheels[distribution]).namelist()
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    assert f"{package}/py.typed" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {package}


def test_filter_states_the_version_of_its_distribution():
    assert importlib.metadata.version("markitect-filter") == markitect_filter.__version__


def test_installed_command_tells_its_version(installation, wheels):
    version = wheels["markitect-tool"].name.split("-")[1]
    assert installation.mkt("--version").stdout.split()[-1] == version


def test_adapters_are_found_by_entry_points_of_installed_distributions(installation):
    listing = json.loads(installation.mkt("source", "adapters", "--format", "json").stdout)
    assert [adapter["id"] for adapter in listing["adapters"]] == [
        "source.epub3",
        "source.html",
        "source.plaintext",
        "source.subrip",
    ]


def test_external_adapter_normalizes_through_the_command(installation, tmp_path):
    (tmp_path / "talk.srt").write_text(TALK)
    ended = installation.mkt("source", "normalize", "talk.srt", "--format", "markdown", cwd=tmp_path)
    assert (ended.stdout.strip(), ended.returncode) == ("**00:00:01** Is this the ferry?", 0)


def test_report_finds_its_style_and_script_in_the_wheel(installation, tmp_path):
    (tmp_path / "talk.srt").write_text(TALK)
    ended = installation.mkt("source", "report", "talk.srt", "--output", "page.html", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "<style>" in (tmp_path / "page.html").read_text()


def test_external_context_adapter_is_found_and_refuses_offline(installation, tmp_path):
    ended = installation.mkt("context", "load", "crm://contact/42", "--offline", cwd=tmp_path)
    assert ("source-unavailable" in ended.stderr, ended.stdout, ended.returncode) == (True, "", 1)
    assert "offline" in ended.stderr


@pytest.mark.parametrize("uri", ["https://example.org/", "git://HEAD/a.md"])
def test_context_without_the_extra_says_what_to_install(install, wheels, tmp_path, uri):
    bare = install("no-context", wheels["markitect-tool"], package="markitect-tool")
    ended = bare.mkt("context", "load", uri, cwd=tmp_path)
    assert "pip install markitect-tool[context]" in ended.stderr
    assert (ended.stdout, ended.returncode) == ("", 1)


def test_tool_alone_works(install, wheels):
    alone = install("tool-alone", wheels["markitect-tool"], package="markitect-tool")
    listing = json.loads(alone.mkt("source", "adapters", "--format", "json").stdout)
    assert [adapter["id"] for adapter in listing["adapters"]] == ["source.plaintext"]


def test_book_without_the_extra_says_what_to_install(install, wheels, tmp_path):
    bare = install("no-extra", wheels["markitect-tool"], wheels["markitect-filter"], package="markitect-filter")
    (tmp_path / "book.epub").write_bytes(b"PK\x03\x04")
    ended = bare.mkt("source", "normalize", "book.epub", cwd=tmp_path)
    assert "pip install markitect-filter[epub3]" in ended.stderr
    assert (ended.stdout, ended.returncode) == ("", 1)


@pytest.mark.parametrize("example", ["markitect-subtitles", "markitect-example-context-crm"])
def test_suite_of_the_example_package_passes_on_its_wheel(wheels, uv, root, tmp_path, example):
    uv(
        "pip",
        "install",
        "--no-deps",
        "--python",
        sys.executable,
        "--target",
        tmp_path,
        wheels[example],
    )
    tests = root / "examples" / example / "tests"
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests],
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
