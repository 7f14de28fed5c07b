"""The board in the browser: play against agents, watch them, see what they think."""
