"""Tree searches: exact ones and those guided by an evaluator."""
