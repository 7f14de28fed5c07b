"""The learning system of the Onitama report: DDPG against an opponent that grows stronger."""
