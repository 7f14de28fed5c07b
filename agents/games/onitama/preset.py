"""Training settings of Onitama, where they differ from the settings for every game."""

from configs.presets import SIZES

PRESETS: dict[str, dict] = {}
REPORT_PRESETS = {size: {"env_options": "observation=planes"} for size in SIZES}
MODEL_PRESETS: dict[str, dict] = {}
