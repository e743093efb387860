"""Stage 1: the archive and what stands at its entrance."""
