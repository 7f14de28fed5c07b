"""The games as tools for language models, by the Model Context Protocol."""
