from checker.shared_checks import one_touches


def check(attempt):
    """12/4: with distances that double, a work-item touches an array some 30 times, and one after the other, 256 times."""
    enough = "with distances that double, about three times in each of the eight steps are enough"
    return one_touches(attempt, 100, enough)
