from checker.references import TotalOfHalves

# Pieces of 64 elements: more than there are slots, the last one shorter.
SMALL_SIZES = [["1"], ["1000", "64", "1"], ["1000", "64", "2"], ["1000", "64", "3"], ["700", "300", "3"]]
TINY_SIZE = ["260", "64", "3"]  # five pieces in three slots
OCLGRIND_SIZES = [["1"], ["300", "64", "1"], ["300", "64", "3"], ["200500", "200000", "2"]]
COST_SIZES = [["4096"], ["1000", "300", "3"]]
WRONG_SIZE = TINY_SIZE
# What computes and what reads it are in one queue there: the layer knows the one by the other.
INPUT_SIZES = [["64", "64", "1"], ["1000", "300", "1"], ["1000", "300", "2"]]
TIME_SIZES = [["8000003", "3000000", "3"], ["8000003", "3000000", "2"], ["1000", "300", "1"]]
REFERENCES = {"dot_product": TotalOfHalves(lambda a, b: a * b, length=2)}
MOST = [2**49]
BAD_ARGUMENTS = [
    (["10", "0"], "must be at least 1, not 0"),
    (["10", "10", "4"], "there is nothing to do for more than three queues: 4"),
    (["1000000000000", "1000000000000"], "too large for this device"),
    (["--file"], "a file's name is missing after --file"),
    (["--once"], "a file's name is missing after --once"),
    (["10", "--timeline"], "a file's name is missing after --timeline"),
    (["--file", "/no such folder/numbers"], "not a file that can be read: /no such folder/numbers"),
    (["--file", "/"], "not a file that can be read: /"),
    (["--timeline", "/no such folder/drawing"], "the timeline cannot be written to /no such folder/drawing"),
    (["--pieces", "3"], "not a size (digits only): --pieces"),
]
