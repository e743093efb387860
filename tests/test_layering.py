"""Who may import whom. `LAYERS` is the one place where a module is listed: an unlisted one fails."""

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {
    "markitect_tool": ROOT / "packages/markitect-tool/src/markitect_tool",
    "markitect_filter": ROOT / "packages/markitect-filter/src/markitect_filter",
}


class Layer(NamedTuple):
    """Modules that belong together (they may import each other), the layers below that they may import, and the
    libraries."""

    modules: str
    layers: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()


def stages_below(number: int) -> tuple[str, ...]:
    """The EPUB stages with a lower number, the tree parser and the tool's foundation; the writer from stage 7 on."""
    epub = tuple(f"filter.epub3.{stage}" for stage in (0, 1, 2, 3, 4, 5, 7, 8) if stage < number)
    return ("tool.base", "filter.markup", *epub, *(("filter.markdown",) if number > 6 else ()))


TOOL = "markitect_tool"
EPUB = "markitect_filter.epub3"
LAYERS = {
    # The two package roots resolve their names on access.
    "tool.root": Layer("markitect_tool", ("tool.base", "tool.source")),
    "tool.base": Layer(
        f"{TOOL}.errors {TOOL}.diagnostics {TOOL}.canonical {TOOL}.serialization {TOOL}.extension"
    ),
    "tool.source": Layer(
        f"{TOOL}.source {TOOL}.source.model {TOOL}.source.messages {TOOL}.source.protocol {TOOL}.source.options "
        f"{TOOL}.source.registry {TOOL}.source.discovery {TOOL}.source.selection {TOOL}.source.api "
        f"{TOOL}.source.descriptor {TOOL}.source.asset {TOOL}.source.plaintext",
        ("tool.base",),
    ),
    "tool.testing": Layer(
        f"{TOOL}.testing {TOOL}.testing.contract {TOOL}.testing.descriptor_rules {TOOL}.testing.inspect_rules "
        f"{TOOL}.testing.read_rules {TOOL}.testing.failure_rules {TOOL}.testing.purity_rules "
        f"{TOOL}.testing.adapter_under_test {TOOL}.testing.isolation {TOOL}.testing.fakes",
        ("tool.root", "tool.base", "tool.source"),
        ("pytest",),
    ),
    "tool.cli": Layer(
        f"{TOOL}.cli {TOOL}.cli.main {TOOL}.cli.source {TOOL}.cli.output {TOOL}.__main__",
        ("tool.root", "tool.base", "tool.source"),
        ("click", "yaml"),
    ),
    "filter.root": Layer("markitect_filter"),
    "filter.adapters": Layer(
        "markitect_filter.adapters", ("tool.root", "tool.base", "tool.source", "filter.epub3.adapter")
    ),
    "filter.markup": Layer(
        "markitect_filter.markup markitect_filter.markup.decode markitect_filter.markup.entities "
        "markitect_filter.markup.parse",
        ("tool.base",),
        ("lxml", "bs4"),
    ),
    "filter.markdown": Layer(
        "markitect_filter.markdown", ("tool.base", "filter.markup"), ("lxml", "markdownify")
    ),
    "filter.epub3.0": Layer(
        f"{EPUB} {EPUB}.limits {EPUB}.errors {EPUB}.media_type {EPUB}.xml_names", stages_below(0), ("lxml",)
    ),
    "filter.epub3.1": Layer(f"{EPUB}.container {EPUB}.encryption", stages_below(1), ("lxml",)),
    "filter.epub3.2": Layer(
        f"{EPUB}.package_model {EPUB}.package {EPUB}.metadata", stages_below(2), ("lxml",)
    ),
    "filter.epub3.3": Layer(f"{EPUB}.nav {EPUB}.ncx {EPUB}.roles {EPUB}.spine", stages_below(3), ("lxml",)),
    "filter.epub3.4": Layer(f"{EPUB}.xhtml {EPUB}.anchors", stages_below(4), ("lxml",)),
    "filter.epub3.5": Layer(f"{EPUB}.notes {EPUB}.pages {EPUB}.links", stages_below(5), ("lxml",)),
    "filter.epub3.7": Layer(f"{EPUB}.segments", stages_below(7), ("lxml",)),
    "filter.epub3.8": Layer(f"{EPUB}.assemble", (*stages_below(8), "tool.root", "tool.source")),
    "filter.epub3.adapter": Layer(f"{EPUB}.adapter", (*stages_below(9), "tool.root", "tool.source")),
}
LAYER_OF = {module: name for name, layer in LAYERS.items() for module in layer.modules.split()}


def module_files() -> dict[str, Path]:
    """Every module of both packages, and its file."""
    found = {}
    for package, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


MODULES = module_files()


def imports(module: str, nodes: Iterator[ast.AST]) -> Iterator[str]:
    """What the import statements among `nodes` name; `from package import module` names the module."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, (
                f"{module} has a relative import in line {node.lineno}: this project writes full names"
            )
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else str(node.module)


def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", MODULES)
def test_module_is_listed(module):
    assert module in LAYER_OF, f"add {module} to a layer in {Path(__file__).name}"


@pytest.mark.parametrize("module", [module for module in MODULES if module in LAYER_OF])
def test_module_imports_only_what_its_layer_may(module):
    layer = LAYERS[LAYER_OF[module]]
    allowed = {LAYER_OF[module], *layer.layers}
    for name in imports(module, ast.walk(tree(module))):
        top = name.partition(".")[0]
        if top in SOURCES:
            assert LAYER_OF.get(name) in allowed, f"{module} imports {name}, which is not below it"
        else:
            assert top in sys.stdlib_module_names or top in layer.libraries, (
                f"{module} imports the library {top}"
            )


def test_imports_at_load_time_have_no_cycle():
    def loaded(module: str) -> set[str]:
        return {
            name for name in imports(module, iter(tree(module).body)) if name in MODULES and name != module
        }

    try:
        TopologicalSorter({module: loaded(module) for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other in a circle: {' -> '.join(error.args[1])}")


def test_layers_have_no_cycle():
    TopologicalSorter({name: layer.layers for name, layer in LAYERS.items()}).prepare()


def test_no_module_is_listed_twice():
    listed = [module for layer in LAYERS.values() for module in layer.modules.split()]
    assert len(listed) == len(set(listed))


def test_only_tests_import_the_command_line_or_the_testing_package():
    importers = {name for name, layer in LAYERS.items() if {"tool.cli", "tool.testing"} & set(layer.layers)}
    assert importers == set()
