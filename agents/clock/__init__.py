"""Games with a clock, on the host: how long to think, and what happens when the time is over.

No agent knows how much time is left for the game; the players here do, and tell a search its share.
Everything here plays one game at a time.
"""
