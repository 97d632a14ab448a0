"""What the kernels must give for inputs that their programs never chose: plain Python, in double.

Each reference is given the inputs, the launch and the sizes of the program, and yields for each float of the
result what it must be and by how much it may be off. Every operation on floats is off by at most U of its result
(2^-24: to the nearest), so that a sum of n terms, added in any order, is off by at most n·U of the sum
of their magnitudes.
"""

import math

U = 2.0**-24


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
        yield math.fsum(terms), (len(terms) + 1) * U * math.fsum(map(abs, terms))


total = Total()
dot_product = Total(lambda a, b: a * b)


def truncated_total(inputs, launch, sizes):
    """The whole parts of all elements, added in an int."""
    yield sum(map(int, inputs[0])), 0


def product(inputs, launch, sizes):
    """C = A·B, row by row; one number stands for all three sizes, as in the programs."""
    m, n, k = (sizes + sizes[:1] * 2)[:3]
    a, b = inputs
    for row in range(m):
        for col in range(n):
            terms = [a[row * k + i] * b[i * n + col] for i in range(k)]
            yield math.fsum(terms), (k + 1) * U * math.fsum(map(abs, terms))


# What is added by the reference as well, and not compared float by float.
TOTALS = (Total,)
