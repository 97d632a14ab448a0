import random
import struct

from checker.behaviour import Trial, beside, floats, packed


def check(attempt):
    """21/1: three parts of 8 bits, together exactly x, for large and small floats as well."""
    number = random.Random(attempt.exercise.digest(attempt.folder))
    args = ["8", "16", "24"]
    usual = Trial(attempt, args)
    x = [number.uniform(-1, 1) * 2.0 ** number.randrange(-60, 128) for _ in floats(usual.inputs[1])]
    x[0] = 2.0**-130  # subnormal, and its own first part
    trial = Trial(attempt, args, {1: packed(x)})
    found, x = trial.left(1), trial.given(1)
    for i, value in enumerate(x):
        three = found[i :: len(x)]
        if any(struct.unpack("I", packed([part]))[0] & 0xFFFF for part in three) or sum(three) != value:
            return [
                f"the parts of {value:.9g} are {', '.join(f'{part:.9g}' for part in three)}: 8 bits each, and together x"
            ]
    # The third launch multiplies: six products of parts, whatever these are together.
    ones, k = attempt.home / "ones", 24
    ones.mkdir(exist_ok=True)
    for argument in (0, 1):
        (ones / f"3.{argument}").write_bytes(packed([1.0] * 3 * k * 16))
    trial = Trial(attempt, args, before=ones)
    return beside("with parts that are all 1", trial.left(2, launch=3), [(6 * k, 0)] * 8 * 16)
