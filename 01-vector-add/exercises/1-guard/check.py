import re

from checker import behaviour


def check(attempt):
    """01/1: the guard holds for any n: an int has no 2^31."""
    code = " ".join(behaviour.code_of(attempt.kernel))
    narrow = re.search(
        r"\b(u?int|unsigned|u?short)\b (?:int )?\w+ = (?:\( \w+ \) )?get_global_id|\( (u?int) \) (?:\( )?(?:i|n)\b",
        code,
    )
    if narrow:
        return [
            f"a work-item's number, or what is left of n, is put into {narrow[1] or narrow[2]}, which has 32 bits: there may be more elements. "
            "get_global_id gives a size_t, and n is a ulong"
        ]
    return []
