from checker.behaviour import Trial, one_item, other_launch


def of_the_task(attempt):
    """05/1: each element of `products` is that of a and b, and not their sum alone."""
    trial = Trial(attempt, ["5000"])
    found = zip(trial.given(1, "i"), trial.given(2, "i"), trial.left(2, kind="q"))
    for i, (x, y, product) in enumerate(found):
        if product != x * y:
            return [f"with N = 5000, products[{i}] is {product}, where {x} · {y} is {x * y}"]
    return []


def check(attempt):
    return (
        of_the_task(attempt)
        or one_item(attempt)
        or other_launch(attempt, ("std::min<size_t>(32, (n", "std::min<size_t>(3, (n"))
    )
