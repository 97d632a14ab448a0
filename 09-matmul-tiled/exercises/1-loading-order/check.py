import re

from checker import behaviour


def check(attempt):
    """09/1: the work-item in row r and column c of its group brings what belongs to row c and column r of the tiles."""
    size, tile = 32, 16
    seen = behaviour.work(attempt, [str(size)] * 3)
    words = " ".join(behaviour.code_of(attempt.kernel))
    found = re.search(r"__kernel .*?(\w+) (?:, [^,]*){3}\)", words)  # the parameter before the three sizes: C
    result = found[1] if found else None
    # A and B, also in functions that bring their elements.
    names = set(re.findall(r"__global\b[^,()]*?(\w+)\s*[,)]", words)) - {result}
    brought = {}
    for name in names:
        for item, (count, low, high) in seen.array(name).items():
            old = brought.get(item, (0, low, high))
            brought[item] = (old[0] + count, min(old[1], low), max(old[2], high))
    for item, (_, low, high) in seen.array(result).items():
        if {low, high} != {item}:
            return [
                f"with 32×32×32, the work-item in row {item // size % tile} and column {item % tile} of its group "
                "computes another element of C than its own: each is to keep its element"
            ]
    # Nothing is seen of what a function reads in its own `return`, nor of what is read by a pointer without []: then the
    # result and the counts have to do. (`x * b [` is a product.)
    if any(re.search(rf"\* \(? ?{name}\b(?! \[)", words.partition("{")[2]) for name in names):
        return []
    for item, (count, low, high) in brought.items():
        row, col = divmod(item, size)
        places = []
        for first in range(0, size, tile):
            places.append((row // tile * tile + col % tile) * size + first + row % tile)  # of A
            places.append((first + col % tile) * size + col // tile * tile + row % tile)  # of B
        if count % len(places) or (low, high) != (min(places), max(places)):
            return [
                f"with 32×32×32, the work-item in row {row % tile} and column {col % tile} of its group does not bring "
                "the elements of A and B that belong to the mirrored place in the tile"
            ]
    return []
