import math
import struct

from checker.behaviour import Trial, packed


def check(attempt):
    """12/1: the largest element may be any float, also one that a program might have started with."""
    n, largest = 1000, struct.unpack("f", b"\xff\xff\x7f\x7f")[0]
    for value in (-largest, largest, -math.inf, math.inf, -1.0, 0.0, 2.0**-126, -(2.0**-149), -(2.0**31), -1e9):
        for others in (value, -math.inf):
            x = [others] * n
            x[333] = value
            trial = Trial(attempt, [str(n), "7"], {1: packed(x)})
            got = trial.read_back()[0]
            if got != value:
                return [f"with {value:.9g} at place 333 and {others:.9g} everywhere else, the result is {got:.9g}"]
    # Wherever it is, also among more elements that are left over than there are work-items.
    for n, uf, places in [(5, 3, range(5)), (13, 7, range(7, 13)), (100, 64, (99, 65)), (127, 64, (126,))]:
        for place in places:
            x = [0.0] * n
            x[place] = 1.0
            trial = Trial(attempt, [str(n), str(uf)], {1: packed(x)})
            if trial.read_back()[0] != 1:
                return [f"with N = {n}, UF = {uf}, and 1 at place {place} and 0 everywhere else, the result is not 1"]
    return []
