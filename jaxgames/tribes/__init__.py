"""Tribes: a 4X game in the manner of The Battle of Polytopia."""
