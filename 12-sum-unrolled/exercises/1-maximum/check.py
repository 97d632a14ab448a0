import math
import struct

from checker.behaviour import Trial, packed


def check(attempt):
    """12/1: the largest element may be any float, also one that a program might have started with."""
    n, largest = 1000, struct.unpack("f", b"\xff\xff\x7f\x7f")[0]
    values = (-largest, largest, -math.inf, math.inf, -1.0, 0.0, 2.0**-126, -(2.0**-149), -(2.0**31), -1e9)
    cases = [(value, value) for value in values] + [(-largest, -math.inf)]

    def found(case):
        x = [case[1]] * n
        x[333] = case[0]
        return Trial(attempt, [str(n), "7"], {1: packed(x)}).read_back()[0]

    for (value, others), got in zip(cases, attempt.at_once(found, cases)):
        if got != value:
            return [f"with {value:.9g} at place 333 and {others:.9g} everywhere else, the result is {got:.9g}"]
    # Wherever it is, also among more elements that are left over than there are work-items.
    ends = [(5, 3, range(5)), (13, 7, range(7, 13)), (100, 64, (99, 65)), (127, 64, (126,))]
    cases = [(n, uf, place) for n, uf, places in ends for place in places]

    def at_place(case):
        x = [0.0] * case[0]
        x[case[2]] = 1.0
        return Trial(attempt, [str(case[0]), str(case[1])], {1: packed(x)}).read_back()[0]

    for (n, uf, place), got in zip(cases, attempt.at_once(at_place, cases)):
        if got != 1:
            return [f"with N = {n}, UF = {uf}, and 1 at place {place} and 0 everywhere else, the result is not 1"]
    return []
