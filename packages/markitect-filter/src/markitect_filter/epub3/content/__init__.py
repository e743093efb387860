"""Stages 4 and 5: one document of the reading order as a tree, and where its links lead."""
