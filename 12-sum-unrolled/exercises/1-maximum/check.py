import math
import struct

from checker.behaviour import Trial, packed


def check(attempt):
    """12/1: the largest element may be any float, also one that a program might have started with."""
    n, largest = 1000, struct.unpack("f", b"\xff\xff\x7f\x7f")[0]
    values = (-largest, largest, -math.inf, math.inf, -1.0, 0.0, 2.0**-126, -(2.0**-149), -(2.0**31), -1e9)
    cases = [(n, 7, 333, value, value) for value in values] + [(n, 7, 333, -largest, -math.inf)]
    # Wherever it is, also among more elements that are left over than there are work-items.
    ends = [(5, 3, range(5)), (13, 7, range(7, 13)), (100, 64, (99, 65)), (127, 64, (126,))]
    cases += [(n, uf, place, 1.0, 0.0) for n, uf, places in ends for place in places]

    def found(case):
        n, uf, place, value, others = case
        x = [others] * n
        x[place] = value
        return Trial(attempt, [str(n), str(uf)], {1: packed(x)}).read_back()[0]

    for (n, uf, place, value, others), got in zip(cases, attempt.at_once(found, cases)):
        if got != value:
            return [
                f"with N = {n}, UF = {uf}, and {value:.9g} at place {place} and {others:.9g} everywhere else, the result is "
                f"{got:.9g}"
            ]
    return []
