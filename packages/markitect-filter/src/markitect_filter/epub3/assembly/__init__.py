"""Stages 6 to 8: documents to blocks, blocks to segments, segments to the document of the contract."""
