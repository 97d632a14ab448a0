import struct

from checker.behaviour import Trial, packed


def check(attempt):
    """12/2: 0 and -0 are equal, and of equal ones the first counts; what is smaller by one bit is smaller."""
    n = 1000
    for zeros in [(0.0, -0.0), (-0.0, 0.0), (1 - 2.0**-24, 1.0), (1 - 2.0**-24, 1 - 2.0**-24)]:
        x = [1.0] * n
        x[333], x[700] = zeros
        trial = Trial(attempt, [str(n), "7"], {1: packed(x)})
        got = trial.read_back(kind="I")[0]
        if got != 333:
            return [f"with {zeros[0]} at place 333 and {zeros[1]} at place 700, the smallest, the place found is {got}"]
    usual = Trial(attempt, [str(n), "7"])
    if 2 in usual.inputs and usual.given(2, "I") == tuple(range(n)):
        far = 2**31 + 1  # the places of a vector as long as that
        trial = Trial(attempt, [str(n), "7"], {1: packed(x), 2: struct.pack(f"{n}I", *range(far, far + n))})
        got = trial.read_back(kind="I")[0]
        if got != far + 333:
            return [
                f"with {far + 333} written at the place of the smallest, as in a longer vector, the place found is {got}"
            ]
    return []
