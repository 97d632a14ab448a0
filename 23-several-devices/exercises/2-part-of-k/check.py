from checker import behaviour, references
from checker.behaviour import Trial, floats
from checker.shared_checks import at_the_same_time, sums_in_int


def check(attempt):
    """23/2: what the devices write adds up to A·B, without help from the host."""
    for args in (["9", "10", "7"], ["9", "8", "1"]):
        trial = Trial(attempt, args)
        written = [floats(data) for (_, argument), data in sorted(trial.after.items()) if argument == 2]
        if not written or len(trial.inputs) < 2:
            return behaviour.missing(attempt, "what the devices write could not be seen")
        m, n, k = map(int, args)
        inputs = [floats(trial.inputs[i]) for i in sorted(trial.inputs)]
        # A device may have got no more than its part.
        each = [(a, b, len(a) // m) for a, b in zip(inputs[::2], inputs[1::2])]
        each = each[:1] if each[0][2] == k else each
        if sum(part for *_, part in each) != k or any(len(b) != part * n for _, b, part in each):
            return behaviour.missing(attempt, "what the devices have of A and B")
        for place, parts in enumerate(zip(*written)):
            right = sum(sum(references.terms_of([a, b], place, [m, n, part])) for a, b, part in each)
            if sum(parts) != right:
                return [
                    f"with {'×'.join(args)}, what the devices write for element {place} of C adds up to {sum(parts):g}, and not "
                    f"to {right:g}: has each k its device?"
                ]
    return sums_in_int(attempt, ["9", "10", "7"]) or at_the_same_time(attempt)
