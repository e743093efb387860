"""A real browser, without a network, that looks at reports."""

import os
import shutil
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from markitect_filter.testing.books import Book
from markitect_tool import normalize_source
from markitect_tool.reports.source_report import source_report

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")  # while it is open an event loop runs, in the way of other modules' own
def browser():
    """Headless Chromium, from the system."""
    executable = next(filter(None, map(shutil.which, _NAMES)), None)
    if executable is None:
        if os.environ.get("MARKITECT_REQUIRE_ALL"):
            pytest.fail("there is no Chromium; install it, for instance with `apt-get install chromium`")
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        running = play.chromium.launch(executable_path=executable, args=_FLAGS)
        yield running
        running.close()


@pytest.fixture
def listener():
    """A server on this machine, `(address, what it was asked for)`: nobody should ask it for anything."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *message):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


class Viewer:
    """A page that is open, and whatever it did that a report must not do."""

    def __init__(self, page, address):
        self.page = page
        self.address = address
        self.asked = []  # requests but for the page itself
        self.said = []  # on the console, errors, dialogs, new windows
        page.on("request", lambda request: self._ask(request.url))
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        page.on("popup", lambda popup: self.said.append(popup.url))
        page.goto(address)

    def _ask(self, url):
        if url != self.address and not url.startswith("data:"):
            self.asked.append(url)

    def __getattr__(self, name):
        return getattr(self.page, name)

    def texts(self, selector):
        """The texts of the elements that are shown, be they in the window or not."""
        return [found.text_content() for found in self.page.locator(selector).all() if found.is_visible()]

    def overflow(self):
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.fixture
def view(browser, tmp_path):
    """Opens HTML in the browser; the keywords are those of a browser context."""
    contexts = []

    def show(html, width=1280, height=900, **settings):
        path = tmp_path / f"{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        context.set_default_timeout(60_000)
        contexts.append(context)
        return Viewer(context.new_page(), path.as_uri())

    yield show
    for context in contexts:
        context.close()


@pytest.fixture
def report_on():
    """The report on a book, given as its file or as the bodies of its pages."""

    def make(book, **more):
        content = book if isinstance(book, bytes) else Book(book, **more).pack()
        result = normalize_source(content, uri="test:book", name="book.epub")
        return source_report(result, content, name="book.epub")

    return make
