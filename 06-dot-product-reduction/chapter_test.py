from checker.references import dot_product

OCLGRIND_SIZES = [["1"], ["256"], ["5000"]]  # each work-item has two or three elements
REFERENCES = {"dot_product": dot_product}
