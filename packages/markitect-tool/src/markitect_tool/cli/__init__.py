"""The `mkt` command."""
