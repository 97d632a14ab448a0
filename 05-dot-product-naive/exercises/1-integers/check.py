import re

from checker.behaviour import Trial, code_of, one_item

OTHER_LAUNCHES = [("std::min<size_t>(32, (n", "std::min<size_t>(3, (n")]


def check(attempt):
    """05/1: each element of `products` is that of a and b, and not their sum alone."""
    other = re.search(r"\b(double)\b|\b\d+ \. (?:\d+ )?(?![\df])", " ".join(code_of(attempt.kernel)))
    if other:
        return [
            f"{other[1] or 'a number without f'}: not every device has doubles, and a number without f is a float there. "
            "A long has 64 bits everywhere"
        ]
    trial = Trial(attempt, ["5000"])
    found = zip(trial.given(1, "i"), trial.given(2, "i"), trial.left(2, kind="q"))
    for i, (x, y, product) in enumerate(found):
        if product != x * y:
            return [f"with N = 5000, products[{i}] is {product}, where {x} · {y} is {x * y}"]
    return one_item(attempt)
