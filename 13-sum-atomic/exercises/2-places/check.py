import math
import random

from checker.behaviour import Trial, floats, packed


def check(attempt):
    """13/2: NaN is not greater than 0, and what is hardly greater is."""
    n = 1000
    number = random.Random(attempt.exercise.digest(attempt.folder))
    x = [number.uniform(-1, 1) if number.randrange(5) else math.nan for _ in range(n)]
    x[:2] = 0.5, 1e-30
    trial = Trial(attempt, [str(n)], {1: packed(x)})
    right = sorted(value for value in floats(packed(x)) if value > 0)
    count = trial.left(2, kind="I")[0]
    if count != len(right) or sorted(trial.left(1)[:count]) != right:
        return [
            f"of {n} numbers with NaN among them, {len(right)} are greater than 0, and {count} are kept, or other ones"
        ]
    return []
