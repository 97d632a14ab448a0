from checker.references import product

BENCH = {"matmul": {"kernel": "09 tiles"}}
REFERENCES = {"matmul": product}
