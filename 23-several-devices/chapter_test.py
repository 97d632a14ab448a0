from checker.references import product

THOROUGH = ["costs"]  # each device in turn
LARGE_LAUNCHES = True
# From 129 rows on, a device that is divided in two has both at work.
TINY_SIZE = ["129", "2", "5"]
SMALL_SIZES = [["1"], ["256", "128", "64"], ["300", "33", "65"]]
OCLGRIND_SIZES = [["1"], ["128", "128", "24"], ["150", "33", "65"]]
INPUT_SIZES = [["17", "33", "65"], ["300", "33", "65"]]
TIME_SIZES = [["1280", "96", "224"], ["17", "33", "65"]]
TIME_MACHINE = {"types": "gpu,gpu", "env": {"OCL_DEVICE": "all"}}
FOR_A_TRY = [2]  # rows of A for the run that finds out how fast the devices are
MOST = [2**30] * 3
# A device on which one of these fails is left out.
SEARCH_CALLS = ["clEnqueueWriteBuffer", "clEnqueueFillBuffer", "clEnqueueNDRangeKernel", "clEnqueueReadBuffer"]
SEARCH_CALLS += ["clFinish", "clFlush", "clWaitForEvents"]


def _own_rows(inputs, launch, sizes):
    """C = A·B of the rows that a device has: of A it gets no others. B was there before."""
    _, n, k = (sizes + sizes[:1] * 2)[:3]
    rows = launch.args[3] & 0xFFFFFFFF
    a, b = (next(x for x in inputs if len(x) == length) for length in (rows * k, k * n))
    yield from product([a, b], launch, [rows, n, k])


REFERENCES = {"matmul": _own_rows}
