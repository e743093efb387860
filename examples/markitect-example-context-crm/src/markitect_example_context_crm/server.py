"""A CRM small enough to test against: a file of JSON lines, served over HTTP.

python -m markitect_example_context_crm.server records.jsonl 8080
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def serve(records: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server for the records in the file, read anew for each request; `port` 0 takes any free one."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            lines = records.read_text(encoding="utf-8").splitlines()
            found = [line for line in lines if self.path == "/{kind}/{id}".format(**json.loads(line))]
            body = found[0].encode("utf-8") if found else b"{}"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2])).serve_forever()
