from checker.references import product

BENCH = {"matmul": {"kernel": "08 naive"}}
REFERENCES = {"matmul": product}
