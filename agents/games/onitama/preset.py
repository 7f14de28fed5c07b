"""What training Onitama changes in the settings that serve every game."""

from configs.presets import SIZES

PRESETS: dict[str, dict] = {}
REPORT_PRESETS = {size: {"env_options": "observation=planes"} for size in SIZES}
