"""HTML: one page, from a file or from the network, with the stages and the writer of the books."""
