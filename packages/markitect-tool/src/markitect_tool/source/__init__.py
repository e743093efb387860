"""The source layer: the adapter contract, its registry, and the way from a path to a document."""
