"""The experiments of the Tribes paper, with its figures beside ours."""
