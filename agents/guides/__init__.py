"""What particular games answer to planners that ask about them (`agents.search.planning.guide`)."""
