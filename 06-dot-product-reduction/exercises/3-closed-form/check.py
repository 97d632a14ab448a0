import re
import struct

from checker.behaviour import Trial, as_float, packed
from checker.shared_checks import fields, host_code

OWN_EXPECTED = True  # the student computes what is expected, too: the check does not call it right


def next_float(x):
    """The next float after x >= 0."""
    return struct.unpack("f", struct.pack("I", struct.unpack("I", struct.pack("f", x))[0] + 1))[0]


def beside_powers(count, most=2000000):
    """Those N of which the closed form of 06/3 is nearest to a power of two, above or below."""
    near = {}
    for exponent in range(20, 63):
        about = round((1.5 * 2.0**exponent) ** (1 / 3))
        for n in range(max(3, about - 2), min(most, about + 3)):
            near[n] = min(near.get(n, 1), abs(n * (n - 1) * (2 * n - 1) / (3 * 2**exponent) - 1))
    return sorted(near, key=near.get)[:count]


def check(attempt):
    """06/3: expected is N(N-1)(2N-1)/3, and spacing that of the floats there."""
    for args in attempt.exercise.sizes[::-1] + [[str(n)] for n in beside_powers(10)]:
        run = attempt.pocl(args)
        n = int(args[0])
        exact = n * (n - 1) * (2 * n - 1) // 3
        near = as_float(float(exact))
        got = (fields(run, "expected") or ["nothing"])[0].split(" ")[0]
        if got != f"{float(exact):.9g}":
            return [f"the closed form for N = {n} is {exact}, not {got}"]
        got, right = (fields(run, "spacing") or ["nothing"])[0], f"{next_float(near) - near:.9g}"
        if got != right:
            return [f"the spacing of floats at {exact} is {right}, not {got}"]
    code, given = host_code(attempt), (attempt.exercise.folder / "host.cpp").read_text()
    if len(re.findall(r"< =? ?n [;)&]|< n ;", code)) > len(re.findall(r"<=? n[;)&]", given)):
        return [
            "a loop goes up to n that was not there: is something added up, term by term? The task is a closed form"
        ]
    # With another result the closed form is what it was.
    usual = Trial(attempt, args)
    other = Trial(attempt, args, {1: packed([8 * value for value in usual.given(1)])}).run
    for name in ("expected", "spacing"):
        if (fields(other, name) or [""])[0].split()[:1] != (fields(usual.run, name) or [""])[0].split()[:1]:
            return [
                f"with a result that is eight times as large, `{name}` is another one: it is to follow from N alone"
            ]
    return []
