"""Self-contained HTML pages for a person: what became of a source, and of a run over many."""
