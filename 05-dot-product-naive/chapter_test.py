from checker.references import elements

OCLGRIND_SIZES = [["1"], ["256"], ["5000"]]  # each work-item has two or three elements
REFERENCES = {"dot_product": elements(lambda a, b: a * b, operations=1)}
