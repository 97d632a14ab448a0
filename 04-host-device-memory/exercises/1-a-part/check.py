from checker import behaviour


def check(attempt):
    """04/1: no more is read back than was asked for, and the read waits."""
    run = attempt.noted(["1000", "10"])
    reads = [int(call.split()[3]) for call in run.calls if call.startswith("EnqueueReadBuffer")]
    maps = [call.split() for call in run.calls if call.startswith("EnqueueMapBuffer")]
    reads += [int(size) for _, _, flags, size, _ in maps if int(flags) & 1]  # CL_MAP_READ
    if sum(reads) > 40:
        return [f"10 floats are 40 bytes, and {sum(reads)} bytes were read back"]
    return behaviour.not_awaited(run) or behaviour.released(run)
