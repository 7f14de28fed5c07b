"""The experiments of the Onitama report, with its figures beside ours."""
