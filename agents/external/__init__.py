"""Players that are programs of their own: `protocol` (what is said), `process`, `player`."""
