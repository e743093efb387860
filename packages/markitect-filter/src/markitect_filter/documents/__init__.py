"""What books and pages have in common: what is special in a document, and what becomes of its text."""
