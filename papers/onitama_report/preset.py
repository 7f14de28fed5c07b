"""Settings of `train.alphazero` for the report's encoding of Onitama."""

from configs.training import DEVICE_CLASSES

PRESETS: dict[str, dict] = {
    device_class: {"env_options": "observation=planes"} for device_class in DEVICE_CLASSES
}
