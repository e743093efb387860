"""Who may import whom. `LAYERS` is the one place where a module is listed: an unlisted one fails."""

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {
    "markitect_tool": ROOT / "packages/markitect-tool/src/markitect_tool",
    "markitect_filter": ROOT / "packages/markitect-filter/src/markitect_filter",
}


class Layer(NamedTuple):
    """Modules of one package (`.` is the package itself) that belong together, so may import each other.

    `layers` and `libraries` are what else they may import.
    """

    package: str
    modules: str
    layers: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()

    def names(self) -> list[str]:
        return [self.package if name == "." else f"{self.package}.{name}" for name in self.modules.split()]


def stage(number: int, modules: str, *more: str) -> Layer:
    """An EPUB stage: it sees the foundation and lower stages. Stage 5 answers what the writer asks, 6 runs it."""
    lower = [f"filter.epub3.{other}" for other in range(number)]
    port = ["filter.markdown.port"] if number >= 5 else []
    writer = ["filter.markdown"] if number >= 6 else []
    below = ("tool.base", "filter.base", "filter.markup", "filter.documents.base")
    return Layer(
        "markitect_filter.epub3",
        modules,
        (*below, *lower, *port, *writer, *more),
        ("lxml",),
    )


TOOL = ("tool.root", "tool.base", "tool.source")
LAYERS = {
    # A package root only resolves public names on access.
    "tool.root": Layer("markitect_tool", ".", ("tool.base", "tool.source")),
    "tool.base": Layer(
        "markitect_tool", "errors diagnostics canonical record named_tuple serialization extension installed"
    ),
    "tool.source": Layer(
        "markitect_tool.source",
        ". held model messages protocol options registry discovery selection loading api attachments pages plaintext "
        "textreader headings",
        ("tool.base",),
    ),
    "tool.context": Layer(
        "markitect_tool.context",
        "model errors guard addresses settings uri media_types waiting loading registry",
        ("tool.base",),
    ),
    # Reached by entry points only, as other packages' adapters are.
    "tool.context.adapters": Layer(
        "markitect_tool.context.adapters",
        ". file git git_objects git_repository http http_body http_client sqlite",
        ("tool.base", "tool.context"),
        ("dulwich", "httpcore", "httpx"),
    ),
    # What a manifest declares, resolved; the adapters are known to it by the registry only.
    "tool.context.project": Layer(
        "markitect_tool.context",
        "reading scopes glob manifest objects collect resolve project bundle render",
        ("tool.base", "tool.context"),
        ("yaml",),
    ),
    "tool.context.root": Layer("markitect_tool.context", ".", ("tool.context", "tool.context.project")),
    "tool.outputs": Layer(
        "markitect_tool.outputs",
        ". files names segments blocks inlines rewriting slugs pictures chapters front_matter obsidian "
        "obsidian_text layouts python_markdown split single folder",
        ("tool.base", "tool.source"),
    ),
    # Whole libraries: what travels and where it lies, the stages, one document through them, many documents, a run.
    "tool.pipeline.base": Layer(
        "markitect_tool.pipeline",
        ". errors records stages storage storage_errors storage_local storage_fsspec",
        ("tool.base", "tool.source"),
        ("fsspec", "pydantic"),
    ),
    "tool.pipeline.stages": Layer(
        "markitect_tool.pipeline",
        "sources sources.base sources.entries sources.folder sources.listing sources.manifest sources.names "
        "sources.places sources.reading sources.sorting sources.walking archives languages signatures "
        "screening parsers "
        "exporters exporters.base exporters.jsonl exporters.making exporters.markdown exporters.merging "
        "exporters.naming "
        "exporters.parquet exporters.rows exporters.segments exporters.shards exporters.tables",
        (
            "tool.base",
            "tool.source",
            "tool.context",
            "tool.context.project",
            "tool.context.root",
            "tool.outputs",
            "tool.pipeline.base",
        ),
        ("fsspec", "pyarrow"),
    ),
    "tool.pipeline.document": Layer(
        "markitect_tool.pipeline",
        "process building passage usage",
        ("tool.base", "tool.pipeline.base", "tool.pipeline.stages"),
        ("pydantic",),
    ),
    "tool.pipeline.engines": Layer(
        "markitect_tool.pipeline",
        "workers engines engines.local engines.ray engines.ray_cluster engines.ray_stages",
        ("tool.base", "tool.pipeline.base", "tool.pipeline.document"),
        ("pyarrow", "ray"),
    ),
    # What a run came to, for whoever shows it.
    "tool.pipeline.summary": Layer("markitect_tool.pipeline", "summary quantities", ("tool.base",)),
    "tool.pipeline.run": Layer(
        "markitect_tool.pipeline",
        "lock schema checkpoint checkpoint_file recall target runner config",
        (
            "tool.base",
            "tool.source",
            "tool.context",
            "tool.context.project",
            "tool.pipeline.base",
            "tool.pipeline.stages",
            "tool.pipeline.document",
            "tool.pipeline.engines",
            "tool.pipeline.summary",
        ),
        ("yaml",),
    ),
    # Pages for a person: from words to rows, from a segment to HTML, a source, a run.
    "tool.reports": Layer(
        "markitect_tool.reports",
        ". words pages claims rendering rows comparing sides pictures shell findings ledger contents head segments "
        "source_report run",
        ("tool.base", "tool.source", "tool.outputs", "tool.pipeline.summary"),
        ("markdown_it", "mdit_py_plugins"),
    ),
    # For frameworks that import them; nothing here does.
    "tool.loaders": Layer(
        "markitect_tool.loaders",
        ". records langchain llamaindex",
        ("tool.base", "tool.source", "tool.outputs"),
        ("fsspec", "langchain_core", "llama_index"),
    ),
    "tool.testing": Layer(
        "markitect_tool.testing",
        ". contract subject isolation fakes attachment_rules page_rules descriptor_rules inspect_rules read_rules "
        "failure_rules purity_rules context_contract context_subject context_rules",
        (*TOOL, "tool.context"),
        ("pytest",),
    ),
    "tool.cli": Layer(
        "markitect_tool.cli",
        ". main source report parameters normalize files context normalizing output completion pipeline progress "
        "run_summary",
        (
            *TOOL,
            "tool.context",
            "tool.context.project",
            "tool.outputs",
            "tool.pipeline.base",
            "tool.pipeline.run",
            "tool.pipeline.document",
            "tool.pipeline.summary",
            "tool.reports",
        ),
        ("click", "rich", "yaml"),
    ),
    "filter.root": Layer("markitect_filter", "."),
    "filter.base": Layer("markitect_filter", "patterns"),
    "filter.adapters": Layer(
        "markitect_filter",
        "adapters",
        (*TOOL, "filter.root", "filter.epub3.0", "filter.epub3.9", "filter.html.options", "filter.html"),
    ),
    # Bytes to trees.
    "filter.markup": Layer(
        "markitect_filter.markup",
        ". limits charsets decode entities repair tidy balance tolerant parse recovery",
        ("tool.base", "filter.base"),
        ("lxml", "bs4"),
    ),
    # Trees to the words that a reader sees, for comparison: not by way of the writer.
    "filter.pagetext": Layer("markitect_filter", "pagetext", (), ("lxml",)),
    # Trees to Markdown. The port is what the writer reads from and asks of whoever uses it.
    "filter.markdown.port": Layer("markitect_filter.markdown", "marks references", ("tool.base",), ("lxml",)),
    "filter.markdown": Layer(
        "markitect_filter.markdown",
        ". alphabet blocks cells definitions delimiters elements emphasis escape finish inline items layout ledger "
        "markdownify_renderer media phrases preformatted quick standalone table tree verse writer",
        ("tool.base", "filter.base", "filter.markup", "filter.markdown.port", "filter.markdown.math"),
        ("lxml", "markdownify"),
    ),
    "filter.markdown.math": Layer(
        "markitect_filter.markdown.math",
        ". annotations constructors content fragment names operators presentation rows scripts symbols tables "
        "tokens tree",
        ("tool.base",),
        ("lxml",),
    ),
    # What a book's documents and a page of the web have in common.
    "filter.documents.base": Layer(
        "markitect_filter.documents",
        ". limits budget media_type percent identifiers xml_names",
        ("tool.base", "filter.base", "filter.markup"),
        ("lxml",),
    ),
    "filter.documents": Layer(
        "markitect_filter.documents",
        "attributes anchors semantics page_labels pages notes notes.labels notes.blocks notes.references notes.runs "
        "notes.remains notes.notes notes.marking packed text placing resolve contract quality",
        (
            *("tool.base", "tool.source", "filter.base"),
            *("filter.documents.base", "filter.markdown.port", "filter.markdown"),
        ),
        ("lxml",),
    ),
    # EPUB, stage by stage.
    "filter.epub3.0": stage(0, ". errors href options"),
    "filter.epub3.1": stage(
        1,
        "container container.zip_directory container.unpack container.archive container.sniff "
        "container.container container.protection container.encryption",
    ),
    "filter.epub3.2": stage(
        2,
        "package package.package_model package.package_metadata package.package "
        "package.raw_metadata package.metadata package.publication",
        "tool.source",
    ),
    "filter.epub3.3": stage(
        3,
        "navigation roles navigation.nav_label navigation.navigation_model navigation.nav navigation.ncx "
        "navigation.navigation roles.roles roles.skipping roles.boilerplate navigation.spine",
    ),
    "filter.epub3.4": stage(4, "content content.xhtml", "filter.documents"),
    "filter.epub3.5": stage(5, "content.links", "filter.documents"),
    "filter.epub3.6": stage(6, "assembly assembly.document assembly.foreign", "filter.documents"),
    "filter.epub3.7": stage(7, "assembly.segments", "filter.documents"),
    "filter.epub3.8": stage(8, "assembly.assemble", "tool.source", "filter.documents"),
    "filter.epub3.9": stage(
        9, "opening inspect convert attachments page_texts adapter", "filter.documents", "filter.pagetext", *TOOL
    ),
    # HTML: a page goes through the stages of a book's document that know no archive.
    "filter.html.options": Layer("markitect_filter.html", ". options", ("tool.base", "filter.documents.base")),
    "filter.html": Layer(
        "markitect_filter.html",
        "encoding page landmarks references metadata segments convert inspect adapter",
        (
            *TOOL,
            *("filter.markup", "filter.markdown", "filter.markdown.port", "filter.pagetext", "filter.html.options"),
            *("filter.documents.base", "filter.documents"),
        ),
        ("lxml",),
    ),
    # A plug-in of another program, which imports it.
    "filter.markitdown": Layer("markitect_filter", "markitdown_plugin", ("tool.base", "tool.source"), ("markitdown",)),
    # Books to test readers with; nothing else imports it.
    "filter.testing": Layer(
        "markitect_filter.testing", ". archives books hostile invariants mutation", TOOL, ("lxml",)
    ),
}
LAYER_OF = {module: name for name, layer in LAYERS.items() for module in layer.names()}


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
    """What import statements among `nodes` name, in full; `from a import b` is `a.b` if that is a module."""
    package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                full = f"{source}.{alias.name}"
                yield full if full in MODULES else source


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
            assert top in sys.stdlib_module_names or top in layer.libraries, f"{module} imports the library {top}"


def test_imports_at_load_time_have_no_cycle():
    def loaded(module: str) -> set[str]:
        return {name for name in imports(module, iter(tree(module).body)) if name in MODULES and name != module}

    try:
        TopologicalSorter({module: loaded(module) for module in MODULES}).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other in a circle: {' -> '.join(error.args[1])}")


def test_layers_have_no_cycle():
    TopologicalSorter({name: layer.layers for name, layer in LAYERS.items()}).prepare()


def test_no_module_is_listed_twice():
    listed = [module for layer in LAYERS.values() for module in layer.names()]
    assert len(listed) == len(set(listed))


def test_only_tests_import_the_command_line_or_the_testing_package():
    importers = {
        name for name, layer in LAYERS.items() if {"tool.cli", "tool.testing", "filter.testing"} & set(layer.layers)
    }
    assert importers == set()
