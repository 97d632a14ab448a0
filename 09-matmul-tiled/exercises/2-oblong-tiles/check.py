import collections
import re

from checker import behaviour


def check(attempt):
    """09/2: a group brings each element of its tiles once from global memory."""
    m, n, k, tile = 20, 17, 20, 16
    seen = behaviour.work(attempt, [str(m), str(n), str(k)])
    names = re.findall(r"__global\b[^,()]*?(\w+)\s*[,)]", " ".join(behaviour.code_of(attempt.kernel)))
    found = [one for one in seen.each if one[1] in names]
    launches = max(collections.Counter((item, name) for item, name, *_ in found).values(), default=1)
    touched = sum(count for _, _, count, *_ in found) // launches
    enough = m * k * -(-n // tile) + k * n * -(-m // tile) + m * n
    if touched > enough:
        return [
            f"with {m}×{n}×{k} the groups touch elements of a, b and c {touched} times, and {enough} are enough: who has "
            "no element of the tile to bring, brings none"
        ]
    return []
