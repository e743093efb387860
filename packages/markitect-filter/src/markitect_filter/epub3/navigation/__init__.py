"""Stage 3: tables of contents, page lists, and the reading order."""
