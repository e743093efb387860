"""Source adapters for Markitect: real books to canonical Markdown, nothing lost in silence."""

__version__ = "0.1.0"
