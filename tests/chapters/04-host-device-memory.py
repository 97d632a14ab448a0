from formulas import count


def costs(n):
    return [("twice_plus_one", count(n, n))]
