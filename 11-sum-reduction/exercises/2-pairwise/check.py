from checker.shared_checks import by_a_single_one, in_float, launched_once, of_both_signs

OTHER_LAUNCHES = [("local_size = 16", "local_size = 15")]


def check(attempt):
    """11/2: a tree has no more additions than a plain sum."""
    n = 20000
    added = launched_once(attempt, [str(n)], r"fadd\b|fsub\b")
    if complaints := in_float(attempt):
        return complaints
    if added is not None and added > 1.5 * n:
        return [
            f"with N = {n} there are {added} additions and subtractions of floats, where a tree has no more than {n}"
        ]
    # Even 2^15 of the small ones are lost when they are added to the 1; in a tree of 2^22 the way is short, at the end, too.
    return by_a_single_one(attempt, 2**22, 0.98 * 2.0**-39, 46) or of_both_signs(attempt)
