"""Nothing in a book makes the reader open a file or a connection that it was not given."""

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from markitect_filter.testing.books import CONTAINER, Book, nav_page, ncx_page, page

SECRET = "the combination is 4711"


@pytest.fixture
def server():
    """A web server of this machine: its address, and the requests that it saw."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!ENTITY e 'FROM THE SERVER'>")

        def log_message(self, *_):
            pass

    running = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_port}", seen
    running.shutdown()
    running.server_close()


def hooks(url):
    """A document type with every kind of external reference to `url`."""
    return (
        f'<!DOCTYPE x PUBLIC "-//X//X//EN" "{url}/doctype.dtd" [<!ENTITY % p SYSTEM "{url}/parameter">%p;'
        f'<!ENTITY e SYSTEM "{url}/entity"><!ENTITY u SYSTEM "{url}/raw" NDATA gif><!NOTATION gif SYSTEM "{url}/n">]>'
    )


def hook_book(url):
    """A book with a reference to `url` wherever one could be followed."""
    body = (
        f'<p>core &e;</p><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{url}/x" parse="text"/>'
        f'<img src="{url}/img" srcset="{url}/srcset 2x" alt="i"/><object data="{url}/object"/>'
        f'<iframe src="{url}/iframe"/><script src="{url}/script"/><link rel="stylesheet" href="{url}/css"/>'
        f'<svg xmlns="http://www.w3.org/2000/svg"><image xlink:href="{url}/svg"/><use xlink:href="{url}/use#x"/></svg>'
        f'<video poster="{url}/poster" src="{url}/video"/><form action="{url}/form"/><style>@import "{url}/i";</style>'
        f'<math xmlns="http://www.w3.org/1998/Math/MathML" altimg="{url}/altimg"><mi>x</mi></math>'
    )
    instruction = f'<?xml-stylesheet href="{url}/style" type="text/xsl"?>'
    text = instruction + hooks(url) + page(body).partition("?>")[2].replace("<head>", f'<head profile="{url}/profile">')
    book = Book(
        {"a.xhtml": text},
        manifest=(
            f'<item id="r" href="{url}/remote.mp3" media-type="audio/mpeg"/>',
            f'<item id="s" href="{url}/page.xhtml" media-type="application/xhtml+xml"/>',
        ),
        spine=('<itemref idref="s"/>',),
        metadata=f'<link rel="record" href="{url}/record" media-type="application/marc"/><dc:creator>&e;</dc:creator>',
        doctype=hooks(url),
        ncx=hooks(url)
        + ncx_page(f'<navPoint><navLabel><text>&e;</text></navLabel><content src="{url}/n"/></navPoint>'),
        nav=hooks(url) + nav_page(f'<li><a href="{url}/nav">&e;</a></li>').partition("?>")[2],
        container=hooks(url) + CONTAINER.partition("?>")[2],
        members={"META-INF/encryption.xml": f"{hooks(url)}<encryption>&e;</encryption>"},
    )
    return book.pack()


@pytest.mark.parametrize("command", ["normalize", "inspect"])
def test_no_reference_in_a_book_reaches_a_server(command, server, tmp_path):
    url, seen = server
    path = tmp_path / "hooks.epub"
    path.write_bytes(hook_book(url))
    ended = subprocess.run(
        [sys.executable, "-c", "from markitect_tool.cli.main import main; main()", "source", command, str(path)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert seen == []
    assert "FROM THE SERVER" not in ended.stdout + ended.stderr


def test_the_server_sees_requests_that_are_made(server):
    from urllib.request import urlopen

    url, seen = server
    with urlopen(f"{url}/x"):
        pass
    assert seen == ["/x"]


def test_no_reference_in_a_book_reads_a_file(read, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    reading = read(hook_book(secret.as_uri()))
    assert "core" in reading.markdown
    assert SECRET not in str(reading.result.to_dict())
