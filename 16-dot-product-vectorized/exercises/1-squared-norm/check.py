from checker.behaviour import one_item

OTHER_LAUNCHES = [("std::min(most,", "std::min<size_t>(3,")]


def check(attempt):
    """16/1: elements are read as vectors. What N / 4 vectors are called goes no higher than that."""
    n = max(int(size[0]) for size in attempt.exercise.sizes if int(size[0]) <= 5000)
    single = [item for (item, _), (_, _, high) in attempt.work.touched.items() if high >= n // 4]
    if len(single) > 4:
        return [
            f"the result is right, but with N = {n}, of whose floats {n // 4 * 4} fill vectors of 4, {len(single)} work-items "
            "read single floats: the task asks for float4"
        ]
    return one_item(attempt)
