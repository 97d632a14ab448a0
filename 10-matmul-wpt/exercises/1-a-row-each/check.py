from checker import behaviour
from checker.shared_checks import local_reads

OTHER_LAUNCHES = [("side / 4", "side / 2")]


def check(attempt):
    """10/1: a value of A is read once for WPT products, and work-item `number` has the columns number % STEP, + STEP, ..."""
    size, tile, wpt = 64, 32, 8
    step = tile // wpt
    looks = [
        lambda: behaviour.work(attempt, [str(size), str(size), "8"]),
        lambda: local_reads(attempt, {(32, 8): 9, (16, 4): 5}),
    ]
    seen, complaints = attempt.at_once(lambda look: look(), looks)
    if complaints:
        return complaints
    for item, (count, low, high) in seen.array("c").items():
        y, x = divmod(item, size)
        number = y % step * tile + x % tile
        row, col = y // step * tile + number // step, x // tile * tile + number % step
        first = row * size + col
        if count % wpt or (low, high) != (first, first + (wpt - 1) * step):
            return [
                f"with 64×64×8 and tiles of 32, work-item {number} of a group does not write the elements of C in row "
                f"{number // step} and columns {number % step}, {number % step + step}, ... of the tile"
            ]
    return []
