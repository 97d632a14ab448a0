import struct

from checker import behaviour
from checker.behaviour import Trial, one_item, other_launch


def of_the_task(attempt):
    """05/1: each element of `products` is that of a and b, and not their sum alone."""
    trial = Trial(attempt, ["5000"])
    if (1, 2) not in trial.after or len(trial.inputs) < 2:
        return behaviour.missing(attempt, "what the kernel writes could not be seen")
    a, b = (struct.unpack(f"{len(trial.inputs[i]) // 4}i", trial.inputs[i]) for i in (1, 2))
    products = struct.unpack(f"{len(trial.after[1, 2]) // 8}q", trial.after[1, 2])
    for i, (x, y, product) in enumerate(zip(a, b, products)):
        if product != x * y:
            return [f"with N = 5000, products[{i}] is {product}, where {x} · {y} is {x * y}"]
    return []


def check(attempt):
    return (
        of_the_task(attempt)
        or one_item(attempt)
        or other_launch(attempt, ("std::min<size_t>(32, (n", "std::min<size_t>(3, (n"))
    )
