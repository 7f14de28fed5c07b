"""Pictures as pixels: PNG and GIF files from SVG pictures. Needs the extra `pictures`."""

import io
from collections.abc import Sequence

try:
    import resvg_py
    from PIL import Image
except ImportError as error:
    raise ImportError(
        "PNG and GIF files need resvg-py and Pillow; pip install 'jaxgames[pictures]'"
    ) from error


def png(svg: str) -> bytes:
    """Returns the PNG file of an SVG picture, one pixel for each of its units."""
    return bytes(resvg_py.svg_to_bytes(svg_string=svg))


def gif(frames: Sequence[str], seconds_per_frame: float, hold: int) -> bytes:
    """Returns the GIF file that shows SVG pictures one after the other, again and again.

    Args:
        frames: the pictures.
        seconds_per_frame: how long a picture is seen.
        hold: further frames for which the last one is seen.
    """
    images = [Image.open(io.BytesIO(png(frame))).convert("RGB") for frame in frames]
    milliseconds = round(1000 * seconds_per_frame)
    times = [milliseconds] * (len(images) - 1) + [(1 + hold) * milliseconds]
    content = io.BytesIO()
    images[0].save(content, "gif", save_all=True, append_images=images[1:], duration=times, loop=0)
    return content.getvalue()
