from checker import behaviour


def check(attempt):
    """04/2: the kernel's buffer is mapped, and every one that is mapped is unmapped."""
    run = attempt.noted(["1000"])
    if behaviour.not_awaited(run):
        return behaviour.not_awaited(run)
    if any(call.startswith("EnqueueWriteBuffer") for call in run.calls):
        return ["the data still goes there with clEnqueueWriteBuffer: map the buffer instead"]
    if sum(call.startswith("EnqueueMapBuffer") - call.startswith("EnqueueUnmapMemObject") for call in run.calls):
        return ["a buffer was mapped and never unmapped"]
    mapped, launched = (
        {buffer for what, _, uses in behaviour.orders(run) if what == wanted for buffer in uses}
        for wanted in ("map", "launch")
    )
    if mapped - launched:
        return [
            "a buffer was mapped that is not the kernel's: map the one that the kernel reads, and nothing is copied"
        ]
    return behaviour.released(run)
