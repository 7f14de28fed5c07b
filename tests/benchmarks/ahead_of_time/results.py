"""What an examination finds about a program, for tests that compile none."""

from typing import Any

from benchmarks.ahead_of_time.targets import H100


def compiled(unit: str = "steps", seconds: float = 1.0, evaluations: float = 0) -> dict[str, Any]:
    """Returns the result of a program that compiles."""
    model = {"seconds": seconds, "per_second": 1 / seconds, "unknown_loops": 0, "dominant": "bytes"}
    return {
        "model": model,
        "measured": None,
        "unit": unit,
        "evaluations": evaluations,
        "compile_seconds": 1.0,
        "memory": {"share": 0.1},
        "loops": [],
        "padding": None,
        "collectives": {},
        "host_transfers_in_loops": 0,
        "chip": H100._asdict(),
    }
