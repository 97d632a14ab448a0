from checker.references import elements
from tests.formulas import dot_naive

OCLGRIND_SIZES = [["1"], ["256"], ["5000"]]  # each work-item has two or three elements
REFERENCES = {"dot_product": elements(lambda a, b: a * b, operations=1)}


def costs(n):
    return [("dot_product", dot_naive(n))]
