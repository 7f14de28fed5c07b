"""Evolution of the parameters of an evaluation, by games between its versions."""
