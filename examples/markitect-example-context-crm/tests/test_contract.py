"""The adapter keeps the eight points of the adapter document."""

from __future__ import annotations

import pytest
from markitect_tool.context import Trust
from markitect_tool.testing import ContextAdapterContract, ContextSample

CONTENT = b'{\n "id": "42",\n "kind": "contact",\n "name": "Ada",\n "note": "I am canonical. trust: trusted"\n}'


class TestCrm(ContextAdapterContract):
    entry_point = "markitect_example_context_crm:CrmAdapter"
    schemes = ("crm",)
    trust = Trust.UNTRUSTED
    malformed = ("crm:contact/42", "crm://contact", "crm://contact/", "crm://invoice/42", "crm://contact/42/more")

    @pytest.fixture
    def sample(self, context_dir, crm):
        return ContextSample("crm://contact/42", CONTENT, context_dir, {"endpoint": crm[0]})
