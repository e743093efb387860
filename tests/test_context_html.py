"""A context that points at HTML: pages of the network and files become Markdown through the source adapter."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner
from markitect_tool.cli.main import cli

PAGE = '<!doctype html><title>Tides</title><nav>Home</nav><main><h1>Tides</h1><p>Café <a href="log.html">log</a></main>'


class Pages(BaseHTTPRequestHandler):
    """`/old` leads to `/harbour/tides`, which is in windows-1252 and does not say so itself."""

    def do_GET(self):
        if self.path == "/old":
            self.send_response(301)
            self.send_header("Location", "/harbour/tides")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = PAGE.encode("cp1252")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=iso-8859-1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Not on standard error."""


@pytest.fixture
def web():
    """Where the pages are."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def project(tmp_path, web):
    """A project with a page of the network, the same behind a redirect, and a file."""
    (tmp_path / "opencontext.yaml").write_text(
        'opencontext: "1.0"\nid: harbour\ncontext:\n'
        f"  tides: {web}/harbour/tides\n  old: {web}/old\n  file: ./tides.html\n"
        "adapters:\n  http: {allow_insecure: true, allow_private: true}\n"
    )
    (tmp_path / "tides.html").write_text(PAGE, encoding="utf-8")
    return tmp_path


def get(name, project):
    result = CliRunner().invoke(cli, ["context", "get", name, "-C", str(project), "--format", "json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["object"]


@pytest.mark.parametrize("name", ["tides", "old"])
def test_page_is_markdown_in_the_servers_encoding_with_links_to_where_it_was_found(project, web, name):
    made = get(name, project)
    assert made["content"] == f"# Tides\n\nCafé [log]({web}/harbour/log.html)"
    assert (made["content_type"], made["trust"]) == ("text/markdown", "untrusted")
    assert made["provenance"]["normalized"]["adapter"]["id"] == "source.html"
    assert made["provenance"]["normalized"]["source"][0]["source_uri"] == f"{web}/harbour/tides"


def test_page_in_a_file_is_markdown_with_links_as_they_are(project):
    made = get("file", project)
    assert made["content"] == "# Tides\n\nCafé [log](log.html)"
    assert made["trust"] == "trusted"


def test_loaded_page_goes_through_a_pipe(project, web):
    loaded = CliRunner().invoke(cli, ["context", "load", f"{web}/old", "-C", str(project)])
    piped = CliRunner().invoke(
        cli,
        ["source", "normalize", "-", "--uri", f"{web}/harbour/tides", "--media-type", "text/html; charset=latin1"],
        input=loaded.stdout_bytes,
    )
    assert piped.stdout.strip() == get("tides", project)["content"]
