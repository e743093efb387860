"""Bytes of XML or HTML to one kind of element tree; knows no EPUB.

`parse_xml` reads structural XML, `parse_markup` reads content documents. Both never touch the network, a
DTD or an external entity, and keep the text of whatever they are given.
"""
