from checker.references import elements

REFERENCES = {"vector_add": elements(lambda a, b: a + b, operations=1)}
# Its groups of 64 are fixed: chapter 03 is the first to ask how large they may be.
NEEDS = {"minimum-1.2": "CL_INVALID_WORK_ITEM_SIZE", "mali-g52": "CL_INVALID_WORK_GROUP_SIZE"}
