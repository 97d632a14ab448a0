from formulas import dot_naive


def costs(n):
    return [("dot_product", dot_naive(n))]
