"""What is done with a document once it is Markdown: files, names, segment records, pictures, chapters, front matter."""
