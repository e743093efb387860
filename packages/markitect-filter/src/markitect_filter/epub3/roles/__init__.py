"""Stage 3: what part a document plays, and what is left out for it."""
