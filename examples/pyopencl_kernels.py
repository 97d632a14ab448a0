"""The kernels of chapters 06, 08 and 09 from Python: each kernel.cl as it is, with PyOpenCL in place of the host.

    pip install pyopencl        (it brings NumPy and an ICD loader; a device comes from PoCL or a driver, as ever)
    python3 examples/pyopencl_kernels.py

The steps are those of host.cpp: context, queue, buffers, program, arguments, launch, read-back. What is not there:
statuses, for a failing call raises an exception, and releases, for Python does them.
"""

import pathlib

import numpy as np
import pyopencl as cl

ROOT = pathlib.Path(__file__).resolve().parent.parent
READ, WRITE = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, cl.mem_flags.WRITE_ONLY


def build(context, chapter, options=()):
    (folder,) = ROOT.glob(f"{chapter}-*")
    source = (folder / "kernel.cl").read_text(encoding="utf-8")
    return cl.Program(context, source).build(options=list(options))


def dot_product(context, queue, n):
    """Chapter 06: each work-group leaves one sum, and the host adds these."""
    i = np.arange(n)
    a, b = (i % 16).astype(np.float32), (i % 7 + 1).astype(np.float32)
    kernel = build(context, "06").dot_product
    device = queue.device
    local_size = min(64, kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device))
    num_groups = min(32, -(-n // local_size))
    sums = np.full(num_groups, np.nan, np.float32)

    a_buffer, b_buffer = (cl.Buffer(context, READ, hostbuf=x) for x in (a, b))
    sums_buffer = cl.Buffer(context, WRITE, sums.nbytes)
    # A ulong is np.uint64, and local memory has a size and no value, as for clSetKernelArg.
    kernel.set_args(a_buffer, b_buffer, sums_buffer, np.uint64(n), cl.LocalMemory(local_size * sums.itemsize))
    cl.enqueue_nd_range_kernel(queue, kernel, (num_groups * local_size,), (local_size,))
    cl.enqueue_copy(queue, sums, sums_buffer)  # waits, as with CL_TRUE
    return sums.sum(dtype=np.float64), np.dot(a.astype(np.float64), b)


def matmul(context, queue, chapter, m, n, k, side, options=()):
    """Chapters 08 and 09: groups of side × side work-items, one element of C for each of them."""
    a = (np.arange(m * k) % 13).astype(np.float32).reshape(m, k)
    b = (np.arange(k * n) % 11 - 5).astype(np.float32).reshape(k, n)
    c = np.full((m, n), np.nan, np.float32)
    kernel = build(context, chapter, options).matmul

    a_buffer, b_buffer = (cl.Buffer(context, READ, hostbuf=x) for x in (a, b))
    c_buffer = cl.Buffer(context, WRITE, c.nbytes)
    kernel.set_args(a_buffer, b_buffer, c_buffer, np.uint64(m), np.uint64(n), np.uint64(k))
    global_size = (-(-n // side) * side, -(-m // side) * side)  # columns in dimension 0, rows in dimension 1
    cl.enqueue_nd_range_kernel(queue, kernel, global_size, (side, side))
    cl.enqueue_copy(queue, c, c_buffer)
    return np.count_nonzero(c != a.astype(np.float64) @ b)


def main():
    context = cl.create_some_context(interactive=False)  # PYOPENCL_CTX=0:0 chooses, as OCL_DEVICE does here
    queue = cl.CommandQueue(context)
    print(f"device    {queue.device.name} ({queue.device.platform.name})")

    n = 100_003
    result, expected = dot_product(context, queue, n)
    print(f"06        N = {n}: result {result:.0f}, expected {expected:.0f}")
    side = 16 if queue.device.max_work_group_size >= 256 else 8
    naive = matmul(context, queue, "08", 100, 70, 130, side)
    tiled = matmul(context, queue, "09", 100, 70, 130, side, [f"-DTILE={side}"])
    print(f"08        M = 100, N = 70, K = 130: {naive} of 7000 elements differ")
    print(f"09        the same in tiles of {side}: {tiled} of 7000 elements differ")
    passed = result == expected and naive == 0 and tiled == 0
    print("PASSED" if passed else "FAILED")
    return 0 if passed else 1


if __name__ == "__main__":
    raise SystemExit(main())
