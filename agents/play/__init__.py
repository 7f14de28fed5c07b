"""The board in the browser: play against agents, watch them, see what they think.

Rooms from the top: `page`, then the director of a server's games, `engine`, `session`.
"""
