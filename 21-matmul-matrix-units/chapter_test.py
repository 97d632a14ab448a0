import math

from checker.references import product_within

THOROUGH = ["costs", "matrix-units", "other-inputs"]
OCLGRIND_SIZES = [["1"], ["16", "32", "48"], ["9", "17", "35"], ["2", "3", "800"]]

BENCH = {"matmul": {"kernels": "21 matrix units"}, "matrix_units": True}
MOST = [2**30] * 3

# Not all rows are compared with reals; the last one always is.
SAYS = [
    # A device that says it has matrix units, and whose compiler does not know their instructions.
    (["17", "33", "65"], r"^units     no: plain OpenCL C instead\n[\s\S]*^PASSED$", "capability 9"),
    (["2", "4096", "4096"], r"\A(?![\s\S]*^result    C\[0\])[\s\S]*^result    C\[1\]"),
]


def _path(m, n, k, launch):
    """In ε: what is left out of a product of reals; and the additions, of which a slice has 48, not quite all of 64."""
    return 4 + math.ceil(k / 16) + 64


def _product(inputs, launch, sizes):
    """Beside that, the smallest numbers of a row of A, or a column of B, lose what is below 2^-39 of its largest. One with an
    infinity or a NaN gives NaN."""
    m, n, k = (sizes + sizes[:1] * 2)[:3]
    a = [max(map(abs, inputs[0][row * k : (row + 1) * k])) for row in range(m)]
    b = [max(map(abs, inputs[1][col::n])) for col in range(n)]
    finite_a = [all(map(math.isfinite, inputs[0][row * k : (row + 1) * k])) for row in range(m)]
    finite_b = [all(map(math.isfinite, inputs[1][col::n])) for col in range(n)]
    for place, (right, allowed) in enumerate(product_within(_path)(inputs, launch, sizes)):
        row, col = divmod(place, n)
        if finite_a[row] and finite_b[col]:
            yield right, allowed + k * 2.0**-38 * max(a[row], 2.0**-112) * max(b[col], 2.0**-112) + 2.0**-149
        else:
            yield math.nan, 0


# Rows and columns of mixed size, tiny, huge, and zero.
SPECIALS = ["1 nan", "2 nan", "1 inf", "1 0 2 -inf", "1 1e30 2 1e-38", "1 1e-45 2 1e30", "1 1e6 2 1e-6"]
REFERENCES = {"matmul": _product}
PATHS = {"matmul": _path}
