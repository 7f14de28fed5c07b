"""The experiments of the papers, repeated, with their figures beside ours."""
