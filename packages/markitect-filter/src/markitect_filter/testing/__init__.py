"""For tests of readers of books: books made in memory, hostile ones, mutation, and what must hold for any result.

Nothing of the adapter imports this package. It needs the standard library and lxml only.
"""
