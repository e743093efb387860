"""What must not get into the repository, and what must agree in it."""

import re
import subprocess
from pathlib import Path

import pytest

REGISTRY = "pypi" + ".org"
FILES = "files.python" + "hosted.org"
FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
LOCKS = ["benchmarks/peers/uv.lock", "uv.lock"]
MACHINE_PATH = re.compile(r"(?<![\w.<~$}/])/(?:root|home|Users|work|tmp|opt)/\w")


@pytest.fixture(scope="module")
def texts(root):
    """Every text file that git knows or would add, by its path in the repository."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [Path(name) for name in listed.stdout.decode().split("\0") if name]
    contents = {path: (root / path).read_bytes() for path in paths if (root / path).is_file()}
    return {path: content.decode("utf-8", "replace") for path, content in contents.items() if b"\0" not in content}


def test_only_the_lock_files_name_a_registry(texts):
    assert sorted(str(path) for path, text in texts.items() if REGISTRY in text or FILES in text) == LOCKS


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_file_names_only_the_public_index(root, lock):
    hosts = set(re.findall(r"https?://([^/\"]+)", (root / lock).read_text()))
    assert hosts == {REGISTRY, FILES}


def test_no_file_names_a_folder_of_somebodys_machine(texts):
    found = {str(path): match[0] for path, text in texts.items() if (match := MACHINE_PATH.search(text))}
    assert found == {}


def test_text_files_have_unix_line_ends(texts):
    assert [str(path) for path, text in texts.items() if "\r\n" in text] == []


def test_no_large_file_except_the_lock_files(texts, root):
    large = {str(path) for path in texts if (root / path).stat().st_size > 120_000}
    assert large <= set(LOCKS)


@pytest.mark.parametrize("package", ["markitect-tool", "markitect-filter"])
def test_package_ships_the_licence_of_the_repository(root, package):
    assert (root / "packages" / package / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes()


def test_every_make_target_in_the_documents_exists(texts, root):
    targets = set(re.findall(r"^([\w-]+):", (root / "Makefile").read_text(), re.MULTILINE))
    named = {
        name
        for path, text in texts.items()
        if path.suffix in (".md", ".yml") or path.name == "run"
        for name in re.findall(r"(?:^\s*|`|run: )make ([\w-]+)", text, re.MULTILINE)
    }
    assert named <= targets
    assert {"run", "test"} <= named


def test_make_help_lists_every_target(root):
    targets = re.findall(r"^([\w-]+):", (root / "Makefile").read_text(), re.MULTILINE)
    printed = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=root, capture_output=True, encoding="utf-8", check=True
    ).stdout
    assert [line.split()[1] for line in printed.splitlines()] == targets


def test_every_local_link_in_the_documents_leads_somewhere(texts, root):
    dead = [
        f"{path}: {target}"
        for path, text in texts.items()
        if path.suffix == ".md" and path.parts[0] != "packages"
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", FENCED.sub("", text))
        if not (root / path.parent / target).exists()
    ]
    assert dead == []


def test_no_pattern_repeats_a_group_possessively(texts):
    """Python 3.11.0 to 3.11.4 match `(?:a|bc)*+` wrongly (CPython issue 106052); write `(?>(?:a|bc)*)`."""
    wrong = [str(path) for path, text in texts.items() if "src" in path.parts and re.search(r"[^(]\)[*+?]\+", text)]
    assert wrong == []
