import math
import random

from checker import references
from checker.behaviour import Trial, beside, floats, packed
from checker.shared_checks import by_a_single_one, in_float, launched_once, of_both_signs

OTHER_LAUNCHES = [("local_size = 16", "local_size = 15")]


def check(attempt):
    """11/1: what rounding takes away is never lost, however large or small the numbers are."""
    args = ["100000"]
    number = random.Random(attempt.exercise.digest(attempt.folder))
    # Rare ones, and between them much that an addition to one of them loses altogether.
    rare = [2.0**-25 if number.randrange(1000) else 1.0 for _ in range(int(args[0]))]
    rare[number.randrange(500)] = 1.0
    # Of each 16 that a work-item adds one is large, and takes away all of the others.
    runs = [[1.0 if i // step % 16 == 0 else 0.98 * 2.0**-24 for i in range(int(args[0]))] for step in (1, 32)]
    cases = [(rare, "1s and 2^-25s", exponent) for exponent in (0, 60, -60)]
    cases += [(x, "1s and 0.98·2^-24s", 0) for x in runs]
    # The total may be below zero, and what is added of the other sign: which is the larger one is no matter of signs.
    for large, small in ((-1, -1), (-1, 1), (1, -1)):
        of_signs = [value * (large if value == 1.0 else small) for value in rare]
        cases.append((of_signs, f"{large}s and {'-' * (small < 0)}2^-25s", 0))
    for values, what, exponent in cases:
        x = floats(packed([value * 2.0**exponent for value in values]))
        trial = Trial(attempt, args, {1: packed(x)})
        exact, all_in_all = math.fsum(x), math.fsum(map(abs, x))
        said = f"with {what}{f', times 2^{exponent}' * bool(exponent)}, in place of the program's numbers"
        if wrong := beside(said, [math.fsum(trial.left(1))], [(exact, 4 * references.U * all_in_all)]):
            return wrong
    # Of so small numbers a long piece of the sum must not be large enough to change a 1.
    if wrong := by_a_single_one(attempt, 2**21, 0.4 * 2.0**-36, 4) or of_both_signs(attempt) or in_float(attempt):
        return wrong
    added = launched_once(attempt, ["20000"], r"fadd\b|fsub\b")
    few = f"the result is right, with {added} additions for 20000 numbers: Kahan's sum has four for each (is it 11/2's tree?)"
    return [few] * (added is not None and added < 3 * 20000)
