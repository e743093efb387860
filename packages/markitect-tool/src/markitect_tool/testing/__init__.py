"""For adapter authors: contract suites to inherit, and fakes. Needs the extra `markitect-tool[testing]`.

    from markitect_tool.testing import AdapterContract, Sample

    class TestMyAdapter(AdapterContract):
        entry_point = "my_package.adapters:my_adapter_descriptor"
        good = Sample("hello.xyz", b"...")
        malformed = Sample("broken.xyz", b"...")

`ContextAdapterContract` is the same for context adapters. Names are resolved on access: fakes and isolation work
without pytest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markitect_tool.testing.context_contract import ContextAdapterContract
    from markitect_tool.testing.context_subject import ContextSample
    from markitect_tool.testing.contract import AdapterContract
    from markitect_tool.testing.fakes import FakeAdapter, fake_descriptor
    from markitect_tool.testing.isolation import run_fresh
    from markitect_tool.testing.subject import Sample

__all__ = [
    "AdapterContract",
    "ContextAdapterContract",
    "ContextSample",
    "FakeAdapter",
    "Sample",
    "fake_descriptor",
    "run_fresh",
]

_HOMES = {
    "AdapterContract": "contract",
    "ContextAdapterContract": "context_contract",
    "ContextSample": "context_subject",
    "FakeAdapter": "fakes",
    "Sample": "subject",
    "fake_descriptor": "fakes",
    "run_fresh": "isolation",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return __all__
