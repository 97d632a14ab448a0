from checker import behaviour
from checker.shared_checks import host_code


def check(attempt):
    """04/1: no more is read back than was asked for, and the read waits."""
    run = attempt.noted(["1000", "10"])
    reads = [int(call.split()[3]) for call in run.calls if call.startswith("EnqueueReadBuffer")]
    maps = [call.split() for call in run.calls if call.startswith("EnqueueMapBuffer")]
    reads += [int(size) for _, _, flags, size, _ in maps if int(flags) & 1]  # CL_MAP_READ
    if sum(reads) > 40:
        return [f"10 floats are 40 bytes, and {sum(reads)} bytes were read back"]
    if complaints := behaviour.not_awaited(run):
        return complaints
    if "clCreateSubBuffer" in (code := host_code(attempt)) and "CL_DEVICE_MEM_BASE_ADDR_ALIGN" not in code:
        return [
            "a part of a buffer has to begin where the device allows it, and nobody has asked for CL_DEVICE_MEM_BASE_ADDR_ALIGN: "
            "on other devices, clCreateSubBuffer fails"
        ]
    # Who reads in pieces may wait for the last of them, or take it for a whole one: here all are whole, and then not.
    for n in (2**21, 2**25 + 3):
        run = attempt.noted([str(n)] * 2)
        if complaints := behaviour.not_awaited(run):
            return complaints
        if not run.passed() and not behaviour.too_large(run):
            return [attempt.broken(run) or attempt.first_wrong(run)]
    return behaviour.released(run)
