"""A player in another process, in any language: it reads and writes lines of JSON.

    python -m agents.arena --agents random 'external:command=python examples/external_player.py'

This one needs no package. It asks a language model, if `MODEL_COMMAND` names a program that reads a
question and prints an answer; else it takes the move whose text comes last in the alphabet.
"""

import json
import os
import subprocess
import sys
from typing import Any


def choose(query: dict[str, Any]) -> str:
    """Returns one of the legal moves of a question."""
    moves = query["legal_moves"]
    if command := os.environ.get("MODEL_COMMAND"):
        question = f"{query['board']}\nYou are seat {query['seat']}. Answer with one of: {moves}"
        answer = subprocess.run(command, input=question, shell=True, text=True, capture_output=True)
        if (move := answer.stdout.strip()) in moves:
            return move
    return max(moves)


def main() -> None:
    """Answers each line until there are no more."""
    for line in sys.stdin:
        query = json.loads(line)
        if query["type"] == "start":
            answer = {"type": "ready"}
        else:
            answer = {"type": "move", "move": choose(query)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
