"""The Onitama report: eight actors, trained with DDPG."""
