"""A program that plays in one of several ways, for tests: `python players.py WAY [FILE]`."""

import json
import pathlib
import sys
import time


def main(way: str, file: str = "") -> None:
    print("started", file=sys.stderr)
    for line in sys.stdin:
        query = json.loads(line)
        if query["type"] == "start":
            print('{"type": "hello"}' if way == "rude" else '{"type": "ready"}', flush=True)
            continue
        answer = {"type": "move", "move": query["legal_moves"][0], "values": [0.5, -0.5]}
        if way == "echo":
            answer["move"] = str(query["clock"])
        elif way == "slow":
            time.sleep(60)
        elif way == "crash":
            sys.exit(3)
        elif way == "cheat":
            answer["move"] = "a1-a9"
        elif way == "boast":
            answer["values"] = [2]
        elif way == "stray" and not pathlib.Path(file).exists():
            pathlib.Path(file).touch()
            print("hm")
        print("what?" if way == "talk" else json.dumps(answer), flush=True)


main(*sys.argv[1:])
