"""The data of the rules, one module for each kind of thing."""
