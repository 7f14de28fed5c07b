"""Terra Mystica: the base game for 2 to 5 players, with its 14 factions."""
