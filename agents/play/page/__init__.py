"""The page: its files, its requests and answers, and what it refuses."""
