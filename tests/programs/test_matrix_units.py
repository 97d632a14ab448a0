"""Do the lines that only NVIDIA's compiler gets to see compile? No device here has such units.

Clang turns every kernel file with inline assembly into PTX, for each number of products and with and without edges;
ptxas of the CUDA toolkit, where it is there, assembles it. What the instructions compute is seen on a device only.
"""

import itertools
import pathlib
import shutil
import tempfile

import pytest

from tests import running

CHAPTER = "21-matmul-matrix-units"
CLANG = ["-target", "nvptx64-nvidia-nvcl", "-x", "cl", "-cl-std=CL1.2", "-O2", "-Xclang", "-finclude-default-header"]
CLANG += ["-Xclang", "-target-cpu", "-Xclang", "sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx75"]
CLANG += ["-mllvm", "-inline-threshold=100000"]  # into the kernel, as NVIDIA's compiler does
CLANG += ["-D", "asm=__asm__"]  # NVIDIA's compiler knows both words, Clang's OpenCL C one
# What a vendor's library has; without it, ptxas finds open ends.
BUILT_IN = """
size_t __attribute__((overloadable)) get_local_id(uint d) { return __nvvm_read_ptx_sreg_tid_x(); }
size_t __attribute__((overloadable)) get_group_id(uint d) { return __nvvm_read_ptx_sreg_ctaid_x(); }
float4 __attribute__((overloadable)) fma(float4 x, float4 y, float4 z) { return x * y + z; }
void __attribute__((overloadable)) barrier(cl_mem_fence_flags f) { __syncthreads(); }
"""


def ptxas():
    """Where the assembler is, or None."""
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


@pytest.mark.parametrize("chapter", [CHAPTER])
def test_matrix_units(report, chapter):
    clang = running.need_tool("clang", "clang")
    files = [path for path in sorted((running.ROOT / chapter).glob("*.cl")) if "asm(" in path.read_text()]
    if ptxas() is None:
        print("SKIPPED  ptxas is missing: what Clang writes is not assembled (it is in NVIDIA's CUDA toolkit)")
    for path, products, edges in itertools.product(files, [1, 3], [0, 1]):
        options = [f"-D{name}" for name in ("WARPS=4", f"PRODUCTS={products}", f"EDGES={edges}", "UNITS=1")]
        where = f"{path.relative_to(running.ROOT)} {' '.join(options)}"
        with tempfile.TemporaryDirectory() as folder:
            source, ptx = pathlib.Path(folder) / "kernel.cl", pathlib.Path(folder) / "kernel.ptx"
            source.write_text(BUILT_IN + path.read_text())
            code, out, err = running.run([clang, *CLANG, *options, "-S", source, "-o", ptx])
            wrong = running.indented(out + err) if code else ""
            found = 0 if wrong else ptx.read_text().partition(".entry")[2].count("mma.sync")
            if not wrong and found != 32 * products:  # 4 blocks of rows, 4 of columns, 2 steps
                wrong = running.indented(
                    f"the kernel has {found} matrix instructions, where it should have {32 * products}"
                )
            if not wrong and ptxas():
                code, out, err = running.run([ptxas(), "-arch=sm_80", ptx, "-o", pathlib.Path(folder) / "kernel.o"])
                wrong = running.indented(out + err) if code else ""
            report.must(f"{where} is PTX, with its matrix instructions", not wrong, wrong)
