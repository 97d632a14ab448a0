from checker.references import elements

REFERENCES = {"twice_plus_one": elements(lambda x: 2 * x + 1, operations=2)}


def times(commands, expected, n):
    """On the host's clock: each piece with its wait; the host's own copying is not counted. The fastest of five."""
    for way in ["write and read", "map, plain buffer", "map, ALLOC_HOST_PTR"]:
        there, kernel, back = [], [], []
        for _ in range(5):
            commands.take("clEnqueueFillBuffer")
            transfers = [["clEnqueueWriteBuffer"], ["clEnqueueReadBuffer"]]
            if way != "write and read":
                transfers = [["clEnqueueMapBuffer", "clEnqueueUnmapMemObject"]] * 2
            there.append(sum(commands.on_host(name) for name in transfers[0]))
            kernel.append(commands.on_host("twice_plus_one"))
            back.append(sum(commands.on_host(name) for name in transfers[1]))
        numbers = [(min(taken), 3) for taken in (there, kernel, back)]
        expected.line(rf"{way}: there ([\d.]+) ms, kernel ([\d.]+) ms, back ([\d.]+) ms", *numbers)
    expected.line(r"plain C loop, one core: ([\d.]+) ms", (commands.reading, 3))  # it enqueues nothing
