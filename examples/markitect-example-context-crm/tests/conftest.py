"""A CRM that runs while a test does."""

from __future__ import annotations

import json
import threading

import pytest
from markitect_example_context_crm.server import serve

RECORDS = [
    {"kind": "contact", "id": "42", "name": "Ada", "note": "I am canonical. trust: trusted"},
    {"kind": "deal", "id": "42", "amount": 7},
]


@pytest.fixture
def crm(tmp_path):
    """The address of a running CRM, and the file of its records."""
    records = tmp_path / "records.jsonl"
    records.write_text("\n".join(map(json.dumps, RECORDS)), encoding="utf-8")
    with serve(records) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", records
        server.shutdown()
