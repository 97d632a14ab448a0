from checker.references import U, total, unchanged

THOROUGH = ["bad-input", "costs", "other-inputs"]  # thirteen programs are built and released
LARGE_LAUNCHES = True
WRONG_SIZE = ["1000"]  # most of its work does not depend on N
TIME_SIZES = [["8000003"]]
TIME_DEVICES = ["h200"]
TIME_FLOOR = 4000  # no run of multiply_add has too few steps, unless the clock has a dip


def _chains(inputs, launch, sizes):
    """n times x · factor + summand, which is a geometric series: each chain comes closer to a fixed value."""
    factor, summand = inputs[0][:2]
    steps, width = launch.args[2], int(launch.options["VECTOR"][len("float") :] or 1)
    chains = range(int(launch.options["CHAINS"]))
    fixed = summand / (1 - factor)
    allowed = len(chains) * 2 * U * (64 + len(chains) + abs(fixed)) / (1 - abs(factor))
    rights = [sum((start + chain - fixed) * factor**steps + fixed for chain in chains) for start in range(64)]
    for item in range(launch.items):
        for _ in range(width):
            yield rights[item % 64], allowed


OCLGRIND_SIZES = [["1"], ["256"], ["20000"]]
REFERENCES = {"clEnqueueCopyBuffer": unchanged, "copy": unchanged, "read_all": total, "multiply_add": _chains}
INPUT_SIZES = [["1000"]]  # most of its work does not depend on N
