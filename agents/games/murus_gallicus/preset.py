"""What training Murus Gallicus changes in the settings that serve every game."""

from configs.evolution import SchemeConfig

PRESETS: dict[str, dict] = {}
TUNING_STAGES: dict[str, dict] = {
    "material": {},
    "pst": {"scheme": SchemeConfig(mutation="all", mutation_offsets=(200, 200, 200))},
}
