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
    return []
