"""Stage 2: the package document and the metadata in it."""
