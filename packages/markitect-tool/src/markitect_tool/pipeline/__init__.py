"""Whole libraries: sources of documents, parsers, exporters, and what runs them over any number of inputs.

The modules say what they hold; nothing is imported here, so that the rest of the tool needs no pydantic.
"""
