"""EPUB 3 and EPUB 2 to segmented Markdown. `adapter` shows the stages in order."""
