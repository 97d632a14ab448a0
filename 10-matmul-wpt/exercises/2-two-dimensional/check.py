from checker import behaviour
from checker.shared_checks import local_reads

OTHER_LAUNCHES = [("side / 4", "side / 2")]


def check(attempt):
    """10/2: for each k, 2 elements of B and 4 of A are read, or 2 of each where WPT is 4."""
    looks = [lambda: local_reads(attempt, {(32, 8): 6, (16, 4): 4}), lambda: dealt_out(attempt)]
    reads, dealt = attempt.at_once(lambda look: look(), looks)
    return reads or dealt


def dealt_out(attempt):
    """10/2: with TILE = 32 and WPT = 8, as on Oclgrind, each work-item writes the block that it has been given: four rows,
    8 apart, and two columns, 16 apart."""
    m, n, tile = 40, 65, 32
    seen = behaviour.work(attempt, [str(m), str(n), "9"])
    for item, (_, low, high) in seen.array("c").items():
        across, down = item % 96, item // 96  # three groups of 32, in each direction groups of 4
        number = down % 4 * tile + across % tile
        rows = [down // 4 * tile + number // 16 + 8 * i for i in range(4)]
        cols = [across // tile * tile + number % 16 + 16 * j for j in range(2)]
        block = [row * n + col for row in rows for col in cols if row < m and col < n]
        if not block or (low, high) != (block[0], block[-1]):
            return [
                f"with {m}×{n}×9, work-item ({across},{down}) does not write the elements in the rows {rows} and the columns "
                f"{cols}: its block begins at my_row and my_col, and goes on in steps of STEP_M and STEP_N"
            ]
    return []
