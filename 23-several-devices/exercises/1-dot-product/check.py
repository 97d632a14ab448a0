from checker.behaviour import Trial
from checker.shared_checks import at_the_same_time


def check(attempt):
    """23/1: each device gets a half of the vectors, and not all of them."""
    for n in (65, 1000):
        pieces = [len(data) // 4 for number, data in sorted(Trial(attempt, [str(n)]).inputs.items())]
        if len(pieces) != 4 or max(pieces) > 0.75 * n:
            return [f"with N = {n} the devices get pieces of {pieces} elements of a and b: each is to get its half"]
    return at_the_same_time(attempt)
