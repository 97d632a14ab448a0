import re

from checker import behaviour
from checker.shared_checks import names_of


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
    seen = behaviour.work(attempt, ["16", "16", "40"])
    if seen is None:
        return behaviour.missing(attempt, "what is read between the barriers could not be seen")
    inputs, result = names_of(attempt.kernel)
    words_of_kernel = " ".join(behaviour.code_of(attempt.kernel)).partition("__kernel")[2]
    # What a function of its own reads is not counted by barriers.
    if not any(re.search(rf"\b{name} \[", words_of_kernel) for name in inputs):
        return []
    early, first = ({name for name, times in what.items() if times > 0} for what in (seen.early, seen.first))
    if early - inputs - {result} and not first & inputs:
        return [
            "between the first barrier and the second, tiles are read and nothing of A and B before them: so the next tiles are "
            "not on their way while the present ones are multiplied"
        ]
    return []
