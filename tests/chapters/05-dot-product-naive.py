from formulas import dot_naive

CHANGES = ["1", "sign", "nan"]  # the host adds in float: it does not see the next one


def costs(n):
    return [("dot_product", dot_naive(n))]
