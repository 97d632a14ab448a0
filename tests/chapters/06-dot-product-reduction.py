from formulas import dot_reduction

ALL_TYPICAL_MUTANTS = True  # barriers are the lesson
HOSTILE_ALL = True


def costs(n):
    return [("dot_product", dot_reduction(n))]
