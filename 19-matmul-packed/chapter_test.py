from checker.references import product

COST_SIZES = [["17", "33", "65"], ["5", "33", "600"]]  # the second: K in two parts
LARGE_LAUNCHES = True
# An earlier run's panels of the same matrices are as right as new ones.
READ_LATER = True
BENCH = {"matmul": {"kernels": "19 packed"}}
MOST = [2**30] * 3
OCLGRIND_SIZES = [["1"], ["17", "33", "65"], ["5", "9", "1100"]]  # the last one: three times BK
REFERENCES = {"matmul": product}
INPUT_SIZES = [["17", "33", "65"], ["5", "33", "600"]]  # the second: K in several parts
