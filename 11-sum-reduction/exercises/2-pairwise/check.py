from checker import behaviour
from checker.shared_checks import by_a_single_one, in_float, launched_once, of_both_signs

OTHER_LAUNCHES = [("local_size = 16", "local_size = 15")]


def check(attempt):
    """11/2: a tree has no more additions than a plain sum."""
    n = 20000
    added = launched_once(attempt, [str(n)], r"fadd\b|fsub\b")
    complaints = in_float(attempt)
    if not complaints and added is not None and added > 1.5 * n:
        complaints = [
            f"with N = {n} there are {added} additions and subtractions of floats, where a tree has no more than {n}"
        ]
    if not complaints:  # more levels of the tree than somebody may have thought enough
        run = attempt.pocl([str(2**25 + 7)], layer={"items": 1})
        if not run.passed() and not behaviour.too_large(run):
            why = attempt.broken(run) or attempt.first_wrong(run)
            complaints = [f"with a launch of one work-item in all, {why}"]
    # Even 2^15 of the small ones are lost when they are added to the 1; in a tree of 2^22 the way is short, at the end, too.
    return complaints or by_a_single_one(attempt, 2**22, 0.98 * 2.0**-39, 46) or of_both_signs(attempt)
