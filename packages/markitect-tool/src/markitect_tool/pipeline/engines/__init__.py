"""Where documents are worked on: processes of this machine, or a cluster."""
