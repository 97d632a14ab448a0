"""What the checks of single exercises look at beyond the program's own PASSED.

Each function gets the Check (exercise.py) and returns a list of complaints, empty if there are none.
"""
import struct


def fields(run, name):
    """The texts after `name` at the start of a line, of one run's output."""
    return [line[10:].strip() for line in run.out.splitlines() if line[:10] == f"{name:<10}"]


def as_float(x):
    """x rounded to a float."""
    return struct.unpack("f", struct.pack("f", x))[0]


def next_float(x):
    """The next float after x >= 0."""
    return struct.unpack("f", struct.pack("I", struct.unpack("I", struct.pack("f", x))[0] + 1))[0]


def closed_form(check):
    """06/3: expected is N(N-1)(2N-1)/3, and spacing that of the floats there."""
    for args in check.exercise.sizes[1:]:
        run = check.pocl(args)
        n = int(args[0])
        exact = n * (n - 1) * (2 * n - 1) // 3
        near = as_float(float(exact))
        got = (fields(run, "expected") or ["nothing"])[0].split(" ")[0]
        if got != f"{float(exact):.9g}":
            return [f"the closed form for N = {n} is {exact}, not {got}"]
        got, right = (fields(run, "spacing") or ["nothing"])[0], f"{next_float(near) - near:.9g}"
        if got != right:
            return [f"the spacing of floats at {exact} is {right}, not {got}"]
    return []


def factor(check):
    """01/2: what the host expects is factor·a + b, with a[i] = i % 1021 + 1, b[i] = 3·(i % 1021) + 1."""
    for args in check.exercise.sizes:
        n, by = int(args[0]), int(args[1])
        i = (n - 1) % 1021
        got = (fields(check.pocl(args), "expected") or ["nothing"])[0]
        right = f"c[{n - 1}] = {by * (i + 1) + 3 * i + 1:g} (0 of {n} elements differ)"
        if got != right:
            return [f"with {' '.join(args)}, {got.split(' (')[0]} is printed as expected, but {right.split(' (')[0]} "
                    "is right: is the host's own check as it was?"]
    return []
