# The usual launch of 65,536 work-items takes Oclgrind seconds.
UNDER_OCLGRIND = OTHER_LAUNCHES = [('{"grid_stride", 1024, 64}', '{"grid_stride", 3, 5}')]


def check(attempt):
    """03/1: in grid_stride, work-item w does the elements w, w + T, w + 2·T and so on, as `owner` says."""
    for item, name, count, low, high in attempt.work.each:
        if name == "owner" and count > 1 and (low != item or (high - low) % (count - 1)):
            return [
                f"work-item {item} does {count} of the elements from {low} to {high}, and owner says that it does {item} and "
                "then every T-th: the loop is to be the one that owner tells of"
            ]
    return []
