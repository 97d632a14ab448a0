import math

from checker.behaviour import Trial, packed


def check(attempt):
    """19/1: the panels of B hold its columns, and 0 past the last one."""
    m, n, k, tn = 17, 33, 65, 8
    # Infinities: what is filled up is 0, and not 0 times something.
    trial = Trial(attempt, [str(m), str(n), str(k)], {2: packed([math.inf if i % 3 else -1.0 for i in range(n * k)])})
    b, panels = trial.given(2), trial.left(1, launch=2)
    for at, got in enumerate(panels):
        panel, within = divmod(at, k * tn)
        row, col = within // tn, panel * tn + within % tn
        right = b[col * k + row] if col < n else 0.0
        if got != right or math.copysign(1, got) != math.copysign(1, right):
            return [
                f"with 17×33×65, infinities among them, what the panels of B hold for k = {row} and column {col} is {got:g}, not {right:g}"
            ]
    return []
