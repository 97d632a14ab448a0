from checker.references import product

LARGE_LAUNCHES = True
OCLGRIND_SIZES = [["1"], ["128", "128", "24"], ["17", "33", "65"]]  # the second: EDGES=0
BENCH = {"matmul": {"kernel": "18 double-buffered"}}
MOST = [2**30] * 3
REFERENCES = {"matmul": product}
