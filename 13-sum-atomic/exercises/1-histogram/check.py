import struct

from checker import behaviour
from checker.behaviour import Trial


def check(attempt):
    """13/1: also where all numbers are the same."""
    n = 2**16 + 64  # for a single work-item
    trial = Trial(attempt, [str(n)], {1: struct.pack("I", 5) * n}, items=1)
    counts = trial.left(1, kind="I")
    right = [n if value == 5 else 0 for value in range(64)]
    wrong = next((value for value in range(64) if counts[value] != right[value]), None)
    first = attempt.home / "first.cl"
    first.write_text(behaviour.MIRRORED)
    mirrored = attempt.pocl(["1000"], layer={"first": first})
    if not mirrored.passed():
        return [
            "on a device where the last work-item of a group runs first: "
            + (attempt.broken(mirrored) or attempt.first_wrong(mirrored))
        ]
    return [] if wrong is None else [f"with {n} fives, counts[{wrong}] should be {right[wrong]} and is {counts[wrong]}"]
