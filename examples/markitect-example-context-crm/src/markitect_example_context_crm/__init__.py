"""`crm://` for Markitect: the records of a small CRM as context."""

from markitect_example_context_crm.adapter import CrmAdapter

__all__ = ["CrmAdapter"]
