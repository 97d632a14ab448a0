import collections
import re

from checker import behaviour


def has_groups_of_32(run):
    """Does the host, which takes groups as large as their tiles allow, launch any of 32×32?"""
    return any(call.split()[2] == "32" for call in run.calls if call.startswith("EnqueueNDRangeKernel"))


def check(attempt):
    """09/2: a group's tiles are a quarter of the chapter's; it brings each element of them once from global memory."""
    room = 6144  # two tiles of 32 by 8 floats take 2048 bytes, two of 32 by 32 8192
    small = attempt.pocl(["64"], layer={"device.local_memory": room})
    if has_groups_of_32(attempt.noted(["64"])) and not has_groups_of_32(small):
        return [
            f"with {room} bytes of local memory no group of 32×32 fits any more: two tiles of 32×8 floats take 2048. "
            "How long are the pieces of K?"
        ]
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
            "no element of the tile to bring, should bring none"
        ]
    return []
