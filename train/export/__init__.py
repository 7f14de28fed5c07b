"""Trained networks in formats of other programs: ONNX, StableHLO and safetensors."""
