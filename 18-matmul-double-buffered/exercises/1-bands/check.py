from checker import behaviour
from checker.behaviour import Trial


def check(attempt):
    """18/1: each group computes the part that `place` says, without a loop."""
    m, n, k, tile, band = 40, 18, 3, 4, 8
    down, across = m // tile, -(-n // tile)
    seen = behaviour.work(attempt, [str(m), str(n), str(k)])
    for item, (count, _, _, which) in (seen.array("c") if seen else {}).items():
        group, within = divmod(item, tile * tile)
        first, in_band = group // (band * across) * band, group % (band * across)
        rows = min(band, down - first)
        row = (first + in_band % rows) * tile + within // tile
        col = in_band // rows * tile + within % tile
        if which != count * behaviour.mixed(row * n + col) % 2**64:
            return [
                f"with {m}×{n}×{k}, group {group} does not write the part of C in row {row // tile} and column {col // tile}, "
                "which `place` is to give it"
            ]
    return far_places(attempt) or no_loop(attempt)


# In place of the kernel: only `place`, in a C with 66571×63001 parts, of the last and the first group of each 65th band.
PLACES = """#define get_group_id(d) ((d) == 0 ? ((uint)get_group_id(0) / 2 + 1) * 32760520u - (uint)get_group_id(0) % 2 : 0u)
#define matmul not_called
{}
#undef matmul
#undef get_group_id
__kernel void matmul(__global const float *a, __global const float *b, __global float *c, __global uint2 *parts,
                     const uint M, const uint N, const uint K) {{
  const uint group = ((uint)get_group_id(0) / 2 + 1) * 32760520u - (uint)get_group_id(0) % 2;
  parts[get_group_id(0)] = place(group, 66571u, 63001u);
}}
"""


def far_places(attempt):
    """18/1: `place` is right for groups up to 2^32, too."""
    trial = Trial(attempt, ["64", "64", "1"], kernel=PLACES.format(attempt.kernel))
    found = trial.left(3, kind="I")
    down, across, band = 66571, 63001, 8
    for number, got in enumerate(zip(found[::2], found[1::2])):
        group = (number // 2 + 1) * 65 * band * across - number % 2
        first, in_band = group // (band * across) * band, group % (band * across)
        rows = min(band, down - first)
        right = (first + in_band % rows, in_band // rows)
        if got != right:
            return [f"in a C of {down}×{across} parts, `place` gives group {group} the part {got}, and not {right}"]
    return []


def no_loop(attempt):
    """K = 20 rounds for each element of C, and none to find out which part it is in."""
    if "goto" in behaviour.code_of(attempt.kernel):
        return ["there is a goto in it: `place` may not loop, by that either"]
    most = max(attempt.work.rounds.values(), default=0) if attempt.work else 0
    return [f"with K = 20 a work-item goes through {most} rounds of loops: `place` may not loop"] if most > 20 else []
