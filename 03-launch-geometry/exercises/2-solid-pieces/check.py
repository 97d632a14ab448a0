OTHER_LAUNCHES = [('{"pieces", 3, 1}', '{"pieces", 3, 5}')]


def check(attempt):
    """03/2: what a work-item writes lies side by side, in each launch."""
    for item, name, count, low, high in attempt.work.each:
        if name == "owner" and count < high - low + 1:
            return [f"work-item {item} does {count} of the elements from {low} to {high}: its piece should be solid"]
    return []
