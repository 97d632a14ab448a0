import re

from checker import behaviour
from checker.shared_checks import names_of


def check(attempt):
    """09/1: the work-item in row r and column c of its group brings what belongs to row c and column r of the tiles."""
    size, tile = 32, 16
    seen = behaviour.work(attempt, [str(size)] * 3)
    names, result = names_of(attempt.kernel)
    brought = {}
    for name in names:
        for item, (count, _, _, which) in (seen.array(name) if seen else {}).items():
            old = brought.get(item, (0, 0))
            brought[item] = (old[0] + count, old[1] + which)
    for item, (count, _, _, which) in (seen.array(result) if seen and result else {}).items():
        if which % 2**64 != count * behaviour.mixed(item) % 2**64:
            return [
                f"with 32×32×32, the work-item in row {item // size % tile} and column {item % tile} of its group "
                "computes another element of C than its own: who computes what is to stay"
            ]
    # Nothing is seen of what a function reads in its own `return`, nor of what is read by a pointer without []: then the
    # result and the counts have to do.
    if any(
        re.search(rf"\* \(? ?{name}\b", " ".join(behaviour.code_of(attempt.kernel)).partition("{")[2]) for name in names
    ):
        return []
    for item, (count, which) in brought.items():
        row, col = divmod(item, size)
        places = []
        for first in range(0, size, tile):
            places.append((row // tile * tile + col % tile) * size + first + row % tile)  # of A
            places.append((first + col % tile) * size + col // tile * tile + row % tile)  # of B
        launches = count // len(places)
        if count % len(places) or which % 2**64 != launches * sum(map(behaviour.mixed, places)) % 2**64:
            return [
                f"with 32×32×32, the work-item in row {row % tile} and column {col % tile} of its group does not bring "
                "the elements of A and B that belong to the mirrored place in the tile"
            ]
    return []
