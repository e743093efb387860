"""The suite for context adapters: inherit `ContextAdapterContract` in a test module and pytest runs it.

Each rule is an ordinary test method, so one for which an adapter has a documented exception can be overridden.
"""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("markitect_tool.testing.context_rules", "markitect_tool.testing.context_subject")

from markitect_tool.testing.context_rules import (  # noqa: E402
    DigestRules,
    ExecutionRules,
    InterpolationRules,
    MalformedRules,
    OfflineRules,
    RootRules,
    SchemeRules,
    TrustRules,
)


class ContextAdapterContract(
    SchemeRules,
    MalformedRules,
    OfflineRules,
    TrustRules,
    DigestRules,
    RootRules,
    ExecutionRules,
    InterpolationRules,
):
    """Every point of the adapter document's "Conformance" that can be proved from outside.

    A subclass states `entry_point`, `schemes`, `trust` and `malformed`, and overrides the fixture `sample`;
    `ContextSubject` describes each of them.
    """
