"""What the kernels must give for inputs that their programs never chose: plain Python, in double.

Each reference is given the inputs, the launch and the sizes of the program, and yields for each float of the
result what it must be and by how much it may be off. Every operation on floats is off by at most U of its result
(2^-24: to the nearest), so that a sum of n terms, added in any order, is off by at most n·U of the sum
of their magnitudes.
"""

import math

U = 2.0**-24
EPSILON = 2.0**-23  # FLT_EPSILON


def sum_of(terms):
    """Their exact sum, rounded once; with NaN or infinities among them what addition makes of these."""
    terms = list(terms)
    return math.fsum(terms) if all(map(math.isfinite, terms)) else sum(terms)


def is_close(got, right, allowed):
    """Is it what it must be, NaN and infinities included?"""
    if not math.isfinite(right):
        return math.isnan(got) if math.isnan(right) else got == right
    return abs(got - right) <= allowed * 1.001


def elements(function, operations):
    """Each element by itself: function(of the inputs' elements), in so many operations."""

    def reference(inputs, launch, sizes):
        for values in zip(*inputs):
            yield function(*values), operations * U * function(*map(abs, values))

    return reference


def unchanged(inputs, launch, sizes):
    for value in inputs[0]:
        yield value, 0


class Total:
    """The sum of all floats of the result is that of the terms, function(of the inputs' elements)."""

    def __init__(self, function=lambda x: x):
        self.function = function

    def __call__(self, inputs, launch, sizes):
        terms = [self.function(*values) for values in zip(*inputs)]
        yield sum_of(terms), (len(terms) + 1) * U * sum_of(map(abs, terms))


class TotalOfHalves(Total):
    """The same, of an input that has the elements of one vector and then those of the other: so many of each as the
    argument number `length` of the kernel says."""

    def __init__(self, function, length):
        super().__init__(function)
        self.length = length

    def __call__(self, inputs, launch, sizes):
        n = launch.args[self.length]
        yield from super().__call__([inputs[0][:n], inputs[0][n : 2 * n]], launch, sizes)


total = Total()
dot_product = Total(lambda a, b: a * b)


def truncated_total(inputs, launch, sizes):
    """The whole parts of all elements, added in an int."""
    yield sum(map(int, inputs[0])), 0


def product_within(path):
    """C = A·B, row by row, off by at most path(m, n, k, launch)·ε of the magnitudes."""

    def reference(inputs, launch, sizes):
        m, n, k = all_three(sizes)
        for place in range(m * n):
            terms = terms_of(inputs, place, sizes)
            yield sum_of(terms), path(m, n, k, launch) * EPSILON * sum_of(map(abs, terms))

    return reference


product = product_within(lambda m, n, k, launch: (k + 1) * U / EPSILON)  # of floats


def all_three(sizes):
    """M, N and K: one number stands for all three, as in the programs."""
    return (sizes + sizes[:1] * 2)[:3]


def terms_of(inputs, place, sizes):
    """What is added up in a result: all of a vector, or what makes up the element of a matrix product at `place`."""
    if len(inputs) == 1:
        return inputs[0]
    _, n, k = all_three(sizes)
    row, col = divmod(place, n)
    return [inputs[0][row * k + i] * inputs[1][i * n + col] for i in range(k)]
