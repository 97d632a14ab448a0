import re


def check(attempt):
    """18/2: a barrier before the first step, and one for each step, of which K = 40 has five."""
    run = attempt.simulated(["16", "16", "40"], ["--inst-counts"])
    if run is None:
        return []
    reached = sum(int(number) for number in re.findall(r"(\d+) - call \w*barrier\w*\(", run.out + run.err))
    each = reached / (16 * 16)
    if each > 6:
        return [
            f"each work-item reaches {each:g} barriers where K has 5 steps: one before the first and one for each are "
            "enough. Is there a half that nobody is reading?"
        ]
    return []
