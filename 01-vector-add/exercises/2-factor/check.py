import re

from checker import references
from checker.behaviour import Trial, beside
from checker.shared_checks import fields


def check(attempt):
    """01/2: what the host expects is factor·a + b, with a[i] = i % 1021 + 1, b[i] = 3·(i % 1021) + 1."""
    for args in attempt.exercise.sizes:
        n, by = int(args[0]), int(args[1])
        i = (n - 1) % 1021
        got = (fields(attempt.plain(args), "expected") or ["nothing"])[0]
        right = f"c[{n - 1}] = {by * (i + 1) + 3 * i + 1:g} (0 of {n} elements differ)"
        if got != right:
            return [
                f"with {' '.join(args)}, {got.split(' (')[0]} is printed as expected, but {right.split(' (')[0]} "
                "is right: is the host's own check as it was?"
            ]
    kind = re.search(r"(\w+)\s+factor\s*\)", attempt.kernel)
    if kind and kind[1] != "float":
        return [
            f"factor is of type {kind[1]} in the kernel, and is to be a float, there and in the host: 2.5 is lost otherwise"
        ]
    for by in (2.5, -3.0, 100000.0):
        trial = Trial(attempt, ["1000", "3"], floats=f"4={by}")
        inputs = zip(trial.given(1), trial.given(2))
        expected = [(by * x + y, 2 * references.U * (abs(by * x) + abs(y))) for x, y in inputs]
        if wrong := beside(f"with N = 1000 and {by} in place of the factor", trial.left(2), expected):
            return wrong
    return []
