import math

from formulas import tree
from references import TotalOfHalves

# Pieces of 64 elements: some more than there are slots, the last one shorter.
SMALL_SIZES = [["1"], ["1000", "64", "1"], ["1000", "64", "2"], ["1000", "64", "3"], ["700", "300", "3"]]
SEVERAL_QUEUES = True
MOST_ELEMENTS = 2**49
