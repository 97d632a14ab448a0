from formulas import count


def costs(n):
    """Each element of `owner`, a ulong, is written once, whatever the launch: two floats' worth."""
    return [("one_each", count(0, 2 * n)), ("grid_stride", count(0, 2 * n))]
