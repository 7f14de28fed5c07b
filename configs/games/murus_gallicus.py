"""Training settings of Murus Gallicus, where they differ from the settings for every game."""

PRESETS: dict[str, dict] = {}
MODEL_PRESETS: dict[str, dict] = {}
