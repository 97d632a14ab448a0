from checker import behaviour


def check(attempt):
    """18/1: each group computes the part that `place` says, without a loop."""
    m, n, k, tile, band = 40, 18, 3, 4, 8
    down, across = m // tile, -(-n // tile)
    seen = behaviour.work(attempt, [str(m), str(n), str(k)])
    for item, (_, low, high) in seen.array("c").items():
        group, within = divmod(item, tile * tile)
        first, in_band = group // (band * across) * band, group % (band * across)
        rows = min(band, down - first)
        row = (first + in_band % rows) * tile + within // tile
        col = in_band // rows * tile + within % tile
        if {low, high} != {row * n + col}:
            return [
                f"with {m}×{n}×{k}, group {group} does not write the part of C in row {row // tile} and column {col // tile}, "
                "which `place` is to give it"
            ]
    # K = 20 rounds for each element of C, and none to find out which part it is in.
    most = max(attempt.work.rounds.values(), default=0)
    return [f"with K = 20 a work-item goes through {most} rounds of loops: `place` may not loop"] if most > 20 else []
