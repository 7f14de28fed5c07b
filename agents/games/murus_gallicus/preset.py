"""Training settings of Murus Gallicus, where they differ from the settings for every game."""

from configs.evolution import SchemeConfig

PRESETS: dict[str, dict] = {}
MODEL_PRESETS: dict[str, dict] = {}
TUNING_STAGES: dict[str, dict] = {
    "material": {},
    "pst": {"scheme": SchemeConfig(mutation="all", mutation_offsets=(200, 200, 200))},
}
