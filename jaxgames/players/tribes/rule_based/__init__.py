"""The rule-based agent of Tribes: it scores each legal action and plays one with the highest score.

Source: Perez-Liebana et al., "Tribes: a new turn-based strategy game for AI research", AIIDE 2020,
and section 18.4 of the game's document, which follows the published code.
"""
