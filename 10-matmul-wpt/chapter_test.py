from checker.references import product

BENCH = {"matmul": {"kernel": "10 WPT"}}
REFERENCES = {"matmul": product}
