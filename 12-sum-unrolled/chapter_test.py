from checker.references import total

SMALL_SIZES = [["1"], ["256"], ["1000", "3"]]
COST_SIZES = [["1000", "3"]]
TIME_SIZES = [["1000003", "1000"], ["1000", "3"]]
LARGE_LAUNCHES = True
BAD_ARGUMENTS = [(["10", "1"], "too small: 1")]
BENCH = {"vectors": {"": "12 sum, UF = 2"}}
OCLGRIND_SIZES = [["1"], ["256"], ["1000", "4"]]  # of one level three elements are left over
REFERENCES = {"sum_unrolled": total}
INPUT_SIZES = [["64"], ["1000", "3"], ["5", "1000"]]  # the last: fewer elements than one launch can add


def _path(n, uf=2, launch=None):
    """In each launch UF elements of its own, and up to UF - 1 that are left over."""
    return min(n, 2 * uf * launch.in_a_row)


PATHS = {"sum_unrolled": _path}
