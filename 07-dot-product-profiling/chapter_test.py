from checker.references import dot_product, elements

BENCH = {
    "vectors": {"dot_product_naive": "07 naive", "dot_product_reduction": "07 reduction"},
    "flop_per_byte": {"07 naive": 1 / 12},  # a multiplication for three floats
}
OCLGRIND_SIZES = [["1"], ["256"], ["5000"]]  # each work-item has two or three elements
REFERENCES = {"dot_product_naive": elements(lambda a, b: a * b, operations=1), "dot_product_reduction": dot_product}
