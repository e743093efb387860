"""Stage 5: notes and the references to them."""
