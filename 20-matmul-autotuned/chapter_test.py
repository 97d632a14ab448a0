import pathlib
import re

from checker.references import product

THOROUGH = ["bad-input", "other-inputs", "printed-times"]  # every call of the search; every candidate; each way
# Each many times over: the search. The third: on devices of few units with tiles that are cut.
SMALL_SIZES = [["1"], ["32", "32", "64"], ["9", "34", "1030"]]
# 16×8 sums, also cut: 21 tiles for 12 groups; fewer tiles than these, and so many that cutting does not pay. C is measured
# with a part of it. Many groups for few tiles: four work-items share the adding of a quad's parts.
SAYS = [
    (["40", "2601", "85"], "^PASSED$", "bare-accelerator"),
    (["128", "130", "40"], "^PASSED$", "bare-accelerator"),
    (["40", "12500", "9"], "^PASSED$", "bare-accelerator"),
    (["64", "64", "70000"], "^PASSED$", "h200"),
    (["17", "8448", "520"], "^PASSED$", "h200"),
]
WRONG_SIZE = ["32", "64", "64"]  # no larger than what the search computes: all of A and B is used
TIME_SIZES = [["160", "96", "224"], ["320", "96", "224"]]
SEARCH_SIZE = ["128", "64", "256"]
LARGE_LAUNCHES = True
# An earlier run's panels of the same matrices are as right as new ones.
READ_LATER = True
# In the search these are no reason to stop: the candidate is left out.
SEARCH_CALLS = ["clBuildProgram", "clCreateKernel", "clEnqueueNDRangeKernel", "clWaitForEvents"]
BENCH = {
    "matmul": {"tiles": "20 autotuned", "panels": "20 autotuned", "as the host waits": "20, as the host waits"},
    "chooses": True,
}
MOST = [2**30] * 3
# The third: tiles divide it; the fourth: the matrices end where their buffers do, and
# tiles reach beyond; the last: odd rows, and a last step that is not full. In the last two there are tiles that are cut.
OCLGRIND_SIZES = [["1"], ["9", "17", "20"], ["64", "32", "48"], ["16", "124", "32"], ["66", "7", "50"]]
REFERENCES = {"matmul": product, "add_parts": product}
INPUT_SIZES = [["17", "33", "65"], ["5", "33", "600"]]  # the second: K in several parts


def _remember(kind):
    """Remembers the first of the shapes of a kind that a run tried, by its standard error."""

    def way(cache, err):
        tried = re.findall(rf"round 1, \d+ of \d+: ({kind}): ", err)
        for path in pathlib.Path(cache).rglob("20-matmul-autotuned-*.txt") if tried else []:
            path.write_text(re.sub("\nwinner .*", f"\nwinner {tried[0]}", path.read_text()))
        return tried[0] if tried else None

    return way


WAYS = [
    _remember(kind)
    for kind in ("tiles [^:,]*, [^:,]*", "tiles [^:]*groups", "panels [^:,]*, [^:,]*", "panels [^:]*not packed")
]
