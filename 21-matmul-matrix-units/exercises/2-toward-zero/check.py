import random
import re

from checker import behaviour, references
from checker.behaviour import Trial, as_float, beside, floats, packed
from checker.shared_checks import in_float


def toward_zero(value):
    """The float nearest to it that is not further away from 0."""
    near = as_float(value)
    if abs(near) <= abs(value):
        return near
    return as_float(near * (1 - 2.0**-24))


def check(attempt):
    """21/2: numbers of either sign are rounded toward zero, and with any CHUNK, for the text lets one try others."""
    if complaints := in_float(attempt):
        return complaints
    define = re.compile(r"(#[ \t]*define[ \t]+CHUNK[ \t]+)16\b")
    free = len(define.findall(attempt.kernel)) == 1 and behaviour.code_of(attempt.kernel).count("CHUNK") > 1
    args, k = ["3", "5", "70"], 70
    number = random.Random(attempt.exercise.digest(attempt.folder))
    usual = Trial(attempt, args)
    # Of 8 bits: their products are floats.
    given = {
        i: packed([number.randrange(-255, 256) * 2.0 ** number.randrange(-14, -1) for _ in floats(data)])
        for i, data in usual.inputs.items()
    }
    for chunk in (16, 1, 12, 100) if free else (16,):  # whoever writes 16 has a kernel for 16
        other = define.sub(rf"\g<1>{chunk}", attempt.kernel)
        trial = Trial(attempt, args, given, kernel=other)
        inputs, expected = [trial.given(i) for i in (1, 2)], []
        for place in range(15):
            terms, total = references.terms_of(inputs, place, [3, 5, k]), 0.0
            for first in range(0, k, chunk):
                part = 0.0
                for term in terms[first : first + chunk]:
                    part = toward_zero(part + term)
                total = as_float(total + part)
            expected.append((total, 0))
        said = f"with {'×'.join(args)}, real numbers of either sign and CHUNK = {chunk}"
        if wrong := beside(said, trial.left(2), expected):
            return wrong
    return []
