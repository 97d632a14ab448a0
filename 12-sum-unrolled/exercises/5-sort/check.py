from checker.shared_checks import one_touches


def check(attempt):
    """12/5: a pair is two reads and two writes, or a few more, and each work-item has one: nobody sorts a block alone."""
    return one_touches(attempt, 8, "it has a single pair, and two reads and two writes are enough")
