from checker.behaviour import Trial, packed


def check(attempt):
    """12/2: 0 and -0 are equal, and of equal ones the first counts; what is smaller by one bit is smaller."""
    n = 1000
    for first, second in [(0.0, -0.0), (-0.0, 0.0), (1 - 2.0**-24, 1.0), (1 - 2.0**-24, 1 - 2.0**-24)]:
        x = [1.0] * n
        x[333], x[700] = first, second
        trial = Trial(attempt, [str(n), "7"], {1: packed(x)})
        got = trial.read_back(kind="I")[0]
        if got != 333:
            equal = ", which are equal," if first == second else ""
            where = f"{first} at place 333 and {second} at place 700{equal} and 1.0 everywhere else"
            return [f"with {where}, the place found is {got}, not 333"]
    return []
