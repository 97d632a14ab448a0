from checker.shared_checks import launched_once


def check(attempt):
    """18/2: a barrier before the first step, and one for each step, of which K = 40 has five."""
    each = (launched_once(attempt, ["16", "16", "40"], r"call \w*barrier\w*\(") or 0) / (16 * 16)
    if each > 6:
        return [
            f"each work-item reaches {each:g} barriers where K has 5 steps: one before the first and one for each are "
            "enough. Is there a half that nobody is reading?"
        ]
    return []
