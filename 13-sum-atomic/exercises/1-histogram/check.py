import struct

from checker import behaviour
from checker.behaviour import Trial
from checker.shared_checks import launched_once

# Who is the first in its group, and the first group, is for the device to say: every kernel is right with all turned round.
MIRRORED = """
#define get_local_id(d) (get_local_size(d) - 1 - get_local_id(d))
#define get_group_id(d) (get_num_groups(d) - 1 - get_group_id(d))
#define get_global_id(d) (2 * get_global_offset(d) + get_global_size(d) - 1 - get_global_id(d))
#line 1
"""


def check(attempt):
    """13/1: also where all numbers are the same; and a group counts in its own local memory."""
    n = 2**16 + 64  # for a single work-item
    trial = Trial(attempt, [str(n)], {1: struct.pack("I", 5) * n}, items=1)
    counts = trial.left(1, kind="I")
    right = [n if value == 5 else 0 for value in range(64)]
    wrong = next((value for value in range(64) if counts[value] != right[value]), None)
    mirrored = attempt.pocl(["1000"], kernel=MIRRORED + attempt.kernel)
    if not mirrored.passed():
        return [
            "on a device where the last work-item of a group runs first: "
            + (attempt.broken(mirrored) or attempt.first_wrong(mirrored))
        ]
    if wrong is not None:
        return [f"with {n} fives, counts[{wrong}] should be {right[wrong]} and is {counts[wrong]}"]
    found = launched_once(attempt, ["1000"], r"call \w*atomic_\w*AS1")
    if found is None:
        return behaviour.missing(attempt, "how often counts is changed")
    if found > 8 * 64:
        return [
            f"right, but with N = 1000 counts is changed {found} times, and 512 are enough: 64 times by each of the 8 groups, "
            "if a group first counts in its own local memory"
        ]
    return []
