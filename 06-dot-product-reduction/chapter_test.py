from checker.references import dot_product
from tests.formulas import dot_reduction

OCLGRIND_SIZES = [["1"], ["256"], ["5000"]]  # each work-item has two or three elements
REFERENCES = {"dot_product": dot_product}


def costs(n, **launch):
    return [("dot_product", dot_reduction(n, **launch))]
