import math
import random

from checker import references
from checker.behaviour import Trial, as_float, beside, floats, packed


def check(attempt):
    """17/1: alpha and beta of any size."""
    args = ["17", "33", "65"]
    usual = Trial(attempt, args)
    number = random.Random(attempt.exercise.digest(attempt.folder))
    m, n, k = map(int, args)
    for alpha, beta in [(1.5, 1e-9), (1e-9, -0.5)]:
        given = {i: packed([number.uniform(-1, 1) for _ in floats(data)]) for i, data in usual.inputs.items()}
        large = 3 if beta == 1e-9 else 1  # what the small factor belongs to
        given[large] = packed([value * 1e9 for value in floats(given[large])])
        if large == 1:
            given[3] = packed([0.5, math.inf, math.nan, *floats(given[3])[3:]])
        trial = Trial(attempt, args, given, floats=f"6={alpha} 7={beta}")
        inputs = [trial.given(i) for i in (1, 2, 3)]
        expected = []
        for place, old in enumerate(inputs[2]):
            terms = [as_float(alpha) * term for term in references.terms_of(inputs[:2], place, [m, n, k])]
            terms.append(as_float(beta) * old)
            expected.append((references.sum_of(terms), (k + 3) * references.U * references.sum_of(map(abs, terms))))
        said = f"with 17×33×65, real numbers, alpha = {alpha} and beta = {beta}"
        if wrong := beside(said, trial.left(2), expected):
            return wrong
    return []
