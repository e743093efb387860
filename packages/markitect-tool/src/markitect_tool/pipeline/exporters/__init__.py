"""Documents to files, in the formats that `make_exporter` knows.

==========  =========  ===========================================================
format      level      what becomes of documents
==========  =========  ===========================================================
markdown    document   a Markdown file each
segments    segment    a folder each, with a Markdown file for each segment
jsonl       both       JSON Lines, one line for each document or segment
parquet     both       Parquet, one row for each document or segment
==========  =========  ===========================================================

The first two are complete when a document is. The others merge documents: what becomes of one is kept as a fragment,
and `finalize` writes the files, in the order of the keys. No byte depends on who worked when.
"""
