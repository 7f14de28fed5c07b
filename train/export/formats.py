"""The formats: how a network is written in each of them, and how it is read back for a comparison.

The packages for them are heavy and imported on demand.
"""

import contextlib
import importlib
import json
import logging
from collections.abc import Callable
from typing import Any, NamedTuple
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from jaxgames.networks import network_files
from jaxgames.search.agent import Params
from train.export.functions import Arrays, PlainNetwork

EXTRA = "export"
PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
Results = list[np.ndarray]


class Format(NamedTuple):
    """A format of files."""

    suffix: str
    encode: Callable[[PlainNetwork], bytes]
    """Returns the content of the file."""
    evaluate: Callable[[PlainNetwork, bytes, Arrays], Results]
    """Returns the results for some inputs of the network that is in the content of a file."""


def results(network: PlainNetwork, inputs: Arrays) -> Results:
    """Returns the results of the network itself."""
    return [np.asarray(x) for x in jax.jit(network.__call__)(*_in_order(network, inputs))]


def _in_order(network: PlainNetwork, inputs: Arrays) -> list[np.ndarray]:
    return [inputs[name] for name in network.inputs]


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"this format needs the package {error.name}: pip install 'jaxgames[{EXTRA}]'"
        ) from error


def _to_safetensors(network: PlainNetwork) -> bytes:
    arrays = {
        name: np.asarray(leaf) for name, leaf in network_files.flatten(network.params).items()
    }
    meta = {"jaxgames": json.dumps(network.meta)}
    content: bytes = _package("safetensors.numpy").save(arrays, metadata=meta)
    return content


def _from_safetensors(network: PlainNetwork, content: bytes, inputs: Arrays) -> Results:
    arrays = network_files.nest(_package("safetensors.numpy").load(content))
    params: Params = jax.tree.map(jnp.asarray, arrays)
    return results(network._replace(params=params), inputs)


def _to_stablehlo(network: PlainNetwork) -> bytes:
    (batch,) = jax.export.symbolic_shape("batch")
    arguments = [
        jax.ShapeDtypeStruct((batch, *part.shape), part.dtype) for part in network.inputs.values()
    ]
    exported = jax.export.export(jax.jit(network.__call__), platforms=PLATFORMS)(*arguments)
    _package("flatbuffers")
    return bytes(exported.serialize())


def _from_stablehlo(network: PlainNetwork, content: bytes, inputs: Arrays) -> Results:
    exported = jax.export.deserialize(bytearray(content))
    return [np.asarray(x) for x in exported.call(*_in_order(network, inputs))]


def _to_onnx(network: PlainNetwork) -> bytes:
    jax2onnx, onnx = _package("jax2onnx"), _package("onnx")
    arguments = [
        jax.ShapeDtypeStruct(("batch", *part.shape), part.dtype) for part in network.inputs.values()
    ]
    log = logging.getLogger("onnx_ir")
    with mock.patch.object(log, "disabled", True):  # it warns of shapes that it finds out later
        model = jax2onnx.to_onnx(
            _with_own_layers(network.__call__),
            arguments,
            model_name=network.meta["game"],
            input_names=list(network.inputs),
            output_names=list(network.outputs),
        )
    onnx.helper.set_model_props(model, {"jaxgames": json.dumps(network.meta)})
    content: bytes = model.SerializeToString()
    return content


def _with_own_layers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function in which layers of Flax are traced into operations of JAX.

    jax2onnx 0.17 puts its own conversions in the place of whole layers, and the axes of a
    convolution in another order than those of what is added to it: onnxruntime then refuses a
    residual tower, with "Incompatible dimensions". What it makes of single operations is right.
    """
    layers = {layer: layer.__call__ for layer in (nnx.Conv, nnx.Linear)}

    def call(*arguments: Any) -> Any:
        with contextlib.ExitStack() as stack:
            for layer, own in layers.items():
                stack.enter_context(mock.patch.object(layer, "__call__", own))
            return function(*arguments)

    return call


def _from_onnx(network: PlainNetwork, content: bytes, inputs: Arrays) -> Results:
    session = _package("onnxruntime").InferenceSession(content)
    found: Results = session.run(list(network.outputs), dict(inputs))
    return found


FORMATS = {
    "onnx": Format(".onnx", _to_onnx, _from_onnx),
    "safetensors": Format(".safetensors", _to_safetensors, _from_safetensors),
    "stablehlo": Format(".stablehlo", _to_stablehlo, _from_stablehlo),
}
