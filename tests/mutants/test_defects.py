"""Is the notation of tests/defects.py read as it says, and refused where it does not fit?"""

import pytest

from tests import defects

SOURCE = """\
__kernel void f(__global float *x, const ulong n) {
  const size_t i = get_global_id(0); // if (i < n)
  if (i < n) /* x[i] = 1; */
    x[i] = 1.0f; // last
  printf("x[i]  = %f // no comment", x[i]);
  if (i <= n)
    x[i] = 2.0f;
}
"""


@pytest.mark.parametrize(
    "diff, wanted",  # a diff, and what must stand in the result, or in the message where it does not fit
    [
        ("- if (i < n)\n+ if (i + 1 < n)", "\n  if (i + 1 < n) /* x[i] = 1; */\n    x[i] = 1.0f; // last\n"),
        ("- if(i<n)x[i]=1.0f;\n+ if (i < n) {\n+   x[i] = 3;\n+ }", "\n  if (i < n) {\n    x[i] = 3;\n  } // last\n"),
        ("  i <= n)\n- x[i] = 2.0f;", "\n  if (i <= n)\n    \n}"),
        ("  x[i] = 1.0f;\n+ x[0] = 0;\n  printf", "= 1.0f;\n    x[0] = 0; // last\n"),
        ("+ return;\n  if (i <", "\n  return;\n  if (i < n)"),
        ("  const size_t\n  …\n  if (i\n- <=\n+ <", "\n  if (i < n)\n    x[i] = 2.0f;"),
        ('- "x[i]  = %f // no comment"\n+ "%f"', 'printf("%f", x[i]);'),
        ("- x[i] =\n+ x[0] =", "stands 2 times"),
        ("- last\n+ first", "stands 0 times"),
        ("- if (i < m)\n+ if (1)", "up to `<` in line 3, where `m` does not follow"),
        ("- if (i < n)\n+ if (i<n) // so", "leaves the code as it was"),
        ("+ return;", "no line says where"),
        ("  x[i] = 2.0f;", "changes nothing"),
        ("host.cpp\n- x\n+ y", "there is no host.cpp"),
    ],
)
def test_defects(tmp_path, diff, wanted):
    (tmp_path / "kernel.cl").write_text(SOURCE)
    try:
        [defect] = defects.parse(f"## d\n{diff}\n", "test")
        text = defects.changed(defect, tmp_path)["kernel.cl"]
    except defects.Unfit as unfit:
        text = str(unfit)
    assert wanted in text


def test_file(tmp_path):
    (tmp_path / "all.mutants").write_text(
        "Remark.\n\n## one\n- 1.0f\n\n# host.cpp\n## two\nIt is bad.\nkind: racy\n"
        "kernel.cl\n- 2.0f\n+ 3.0f\n\nhost.cpp\n- a\n## three\n- a\n"
    )
    one, two, three = defects.read(tmp_path / "all.mutants")
    assert two.attributes == {"kind": "racy"} and two.words == ["It is bad."] and three.words == []
    files = [[file for file, _ in defect.diffs] for defect in (one, two, three)]
    assert files == [["kernel.cl"], ["kernel.cl", "host.cpp"], ["host.cpp"]]
