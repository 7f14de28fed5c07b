"""Pictures of boards: SVG, animation, pixels, and colours of a terminal."""
