"""What only this adapter does, against a running CRM."""

from __future__ import annotations

import socket

import pytest
from markitect_example_context_crm import CrmAdapter
from markitect_tool.context import AdapterContext, MalformedUriError, OfflineError, SourceUnavailableError


def load(uri, tmp_path, endpoint=None, **changes):
    config = {"endpoint": endpoint} if endpoint else {}
    return CrmAdapter().load(uri, AdapterContext(tmp_path, config=config, **changes))


def test_record_is_found_by_kind_and_id(crm, tmp_path):
    assert b'"amount": 7' in load("crm://deal/42", tmp_path, crm[0]).content


def test_digest_changes_with_the_record_and_not_with_the_order_of_its_fields(crm, tmp_path):
    endpoint, records = crm
    digests = []
    for line in (
        '{"kind": "deal", "id": "1", "a": 1}',
        '{"a": 1, "id": "1", "kind": "deal"}',
        '{"kind": "deal", "id": "1"}',
    ):
        records.write_text(line)
        digests.append(load("crm://deal/1", tmp_path, endpoint).digest)
    assert digests[0] == digests[1] != digests[2]


def test_missing_record_is_an_error_and_not_an_empty_result(crm, tmp_path):
    with pytest.raises(SourceUnavailableError, match="404"):
        load("crm://contact/43", tmp_path, crm[0])


def test_offline_is_a_refusal(crm, tmp_path):
    with pytest.raises(OfflineError):
        load("crm://contact/42", tmp_path, crm[0], offline=True)


@pytest.mark.parametrize(
    "uri", ["crm://contact/../deal/42", "crm://contact/4 2", "crm://host:80/42", "CRM://contact/42"]
)
def test_uri_is_read_strictly(crm, tmp_path, uri):
    with pytest.raises(MalformedUriError):
        load(uri, tmp_path, crm[0])


def test_missing_endpoint_says_what_to_configure(tmp_path):
    with pytest.raises(SourceUnavailableError) as caught:
        load("crm://contact/42", tmp_path)
    assert "adapters.crm" in caught.value.hint


def test_silent_crm_is_given_up(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(SourceUnavailableError, match="not answer"):
        load("crm://contact/42", tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}", timeout_ms=200)
