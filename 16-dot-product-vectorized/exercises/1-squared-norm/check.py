from checker.behaviour import one_item, other_launch


def of_the_task(attempt):
    """16/1: elements are read as vectors. What N / 4 vectors are called goes no higher than that."""
    n = max(int(size[0]) for size in attempt.exercise.sizes if int(size[0]) <= 5000)
    touched = attempt.work.touched if attempt.work else {}
    single = [item for (item, _), (_, _, high, _) in touched.items() if high >= n // 4]
    if len(single) > 4:
        return [f"with N = {n} there are {n // 4} vectors of 4, and {len(single)} work-items read single floats"]
    return []


def check(attempt):
    return of_the_task(attempt) or one_item(attempt) or other_launch(attempt, ("std::min(most,", "std::min<size_t>(3,"))
