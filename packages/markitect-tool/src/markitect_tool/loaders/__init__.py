"""Loaders for frameworks that answer questions from documents: one document of theirs for each segment of a source.

`langchain` and `llamaindex` are optional, and nothing else imports them.
"""
