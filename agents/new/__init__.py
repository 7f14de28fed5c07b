"""`jaxgames new`: a package with a game of one's own."""
