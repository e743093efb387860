"""The contract suite: inherit `AdapterContract` in a test module of the adapter's package and pytest runs it.

The rules stand in the classes that it is made of, one per subject. Each is an ordinary test method: a rule
for which an adapter has a documented exception can be overridden.
"""

from __future__ import annotations

import pytest

for _rules in ("descriptor", "inspect", "read", "failure", "purity", "attachment", "page"):
    pytest.register_assert_rewrite(f"markitect_tool.testing.{_rules}_rules")

from markitect_tool.testing.attachment_rules import AttachmentRules  # noqa: E402
from markitect_tool.testing.descriptor_rules import DescriptorRules  # noqa: E402
from markitect_tool.testing.failure_rules import FailureRules  # noqa: E402
from markitect_tool.testing.inspect_rules import InspectRules  # noqa: E402
from markitect_tool.testing.page_rules import PageRules  # noqa: E402
from markitect_tool.testing.purity_rules import PurityRules  # noqa: E402
from markitect_tool.testing.read_rules import ReadRules  # noqa: E402


class AdapterContract(DescriptorRules, InspectRules, ReadRules, FailureRules, PurityRules, AttachmentRules, PageRules):
    """Every rule of the source contract that can be proved from outside.

    A subclass states `entry_point`, `good` and `malformed`; `options` and `invalid_options` when the adapter
    has any; `large` to prove that inspecting does not convert. `Subject` describes each of them.
    """
