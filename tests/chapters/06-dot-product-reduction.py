from formulas import dot_reduction

ALL_TYPICAL_MUTANTS = True  # barriers are the lesson
HOSTILE_ALL = True
CHANGES = ["1", "sign", "nan"]  # the host adds in float: it does not see the next one


def costs(n):
    return [("dot_product", dot_reduction(n))]
