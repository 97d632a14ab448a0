from checker.references import product
from tests.programs.test_printed_times import matmul_times

BENCH = {"matmul": {"kernel": "09 tiles"}}
REFERENCES = {"matmul": product}
times = matmul_times
