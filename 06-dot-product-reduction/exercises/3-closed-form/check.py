import math
import re

from checker.behaviour import Trial, as_float, packed
from checker.shared_checks import fields, host_code

OWN_EXPECTED = True  # the student computes what is expected, too: the check does not call it right


def check(attempt):
    """06/3: expected is N(N-1)(2N-1)/3, and spacing that of the floats there."""
    for args in attempt.exercise.sizes[::-1]:  # N = 1 last: it is the special one
        run = attempt.plain(args)
        n = int(args[0])
        exact = n * (n - 1) * (2 * n - 1) // 3
        near = as_float(float(exact))
        got = (fields(run, "expected") or ["nothing"])[0].split(" ")[0]
        if got != f"{float(exact):.9g}":
            return [f"the closed form for N = {n} is {exact}, not {got}"]
        spacing = max(2.0 ** (math.frexp(near or 2.0**-149)[1] - 24), 2.0**-149)  # the last of 24 bits
        got, right = (fields(run, "spacing") or ["nothing"])[0], f"{spacing:.9g}"
        if got != right:
            return [f"the spacing of floats at {exact} is {right}, not {got}"]
    code, given = host_code(attempt), (attempt.exercise.folder / "host.cpp").read_text()
    if len(re.findall(r"< =? ?n [;)&]|< n ;", code)) > len(re.findall(r"<=? n[;)&]", given)):
        return [
            "a loop goes up to n that was not there: is something added up, term by term? The task is a closed form"
        ]
    # With another result the closed form is what it was.
    args = attempt.exercise.sizes[-1]
    usual = Trial(attempt, args)
    other = Trial(attempt, args, {1: packed([8 * value for value in usual.given(1)])}).run
    for name in ("expected", "spacing"):
        if (fields(other, name) or [""])[0].split()[:1] != (fields(usual.run, name) or [""])[0].split()[:1]:
            return [
                f"with a result that is eight times as large, `{name}` is another one: it is to follow from N alone"
            ]
    return []
