"""Are the checks on the text red when they should be? Each case breaks a copy of the repository in one way.

    python3 tests/docs/test_docs.py
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import chapters  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = os.environ.get("BUILD_DIR", str(ROOT / "build"))
failures = 0
cases = 0

PAGE = """# A page

<!-- code: 05-dot-product-naive/kernel.cl from `__kernel void dot_product(` to `}` -->
```c
```

<!-- output: 05-dot-product-naive 1000 -->
```
```

<!-- trap: 05-dot-product-naive 1000; host.cpp: `cl_ulong n_arg = n;` -> `cl_ulong n_arg = n - 1;` -->
```
```

<!-- diff: 05-dot-product-naive/host.cpp 06-dot-product-reduction/host.cpp -->
```diff
-  std::vector<float> a(n), b(n), products(n, NAN);
+  std::vector<float> a(n), b(n), partial_sums(num_groups, NAN);
```

<!-- run -->
```sh
test -f 05-dot-product-naive/kernel.cl
```

See [chapter 05](../05-dot-product-naive), [a heading](#a-page), ![the tree](figures/reduction-tree.svg).
"""


# Chapter 20 remembers its winner.
REMEMBERS = """# A page

<!-- output: 20-matmul-autotuned 128 64 256 -->
```
…
PASSED
…
```

<!-- trap: 20-matmul-autotuned 128 64 256; host.cpp: `return verdict(ok);` -> `return verdict(false);` -->
```
…
FAILED
```
"""


def run(script, root, *arguments, env=None):
    env = {**os.environ, "DOCS_ROOT": str(root), "BUILD_DIR": BUILD, **(env or {})}
    done = subprocess.run([sys.executable, HERE / script, *arguments], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def case(what, root, text, script="docs.py", page="docs/page.md", code=1, env=None):
    """The check must end with `code` and say `text`."""
    global failures, cases
    cases += 1
    got, out = run(script, root, *([page] if script == "docs.py" else []), env=env)
    good = got == code and text in out
    failures += not good
    print(f"{'ok     ' if good else 'FAILED '} {what}")
    if not good:
        print(f"        exit code {got}, where {code} and {text!r} were expected:\n{out}")


def edited(path, old, new):
    """Replaces the text for the time of a `with` block."""
    class Edit:
        def __enter__(self):
            self.text = path.read_text()
            assert old in self.text, f"{path} does not contain {old!r}"
            path.write_text(self.text.replace(old, new, 1))

        def __exit__(self, *_):
            path.write_text(self.text)
    return Edit()


def main():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in ("common", "docs", "05-dot-product-naive", "06-dot-product-reduction", "11-sum-reduction", "12-sum-unrolled"):
            shutil.copytree(ROOT / folder, root / folder)
        page = root / "docs" / "page.md"
        page.write_text(PAGE)
        kernel = root / "05-dot-product-naive" / "kernel.cl"
        case("empty listings and outputs", root, "3 places out of step")
        run("docs.py", root, "--update", "docs/page.md")
        case("--update mends them", root, "ok      docs/page.md", code=0)
        assert "products[i] = a[i] * b[i];" in page.read_text() and "FAILED" in page.read_text()

        with edited(kernel, "a[i] * b[i];", "b[i] * a[i];"):
            case("a kernel line changed", root, "docs/page.md:4: the listing is not the code")
            kept = page.read_text()
            run("docs.py", root, "--update", "docs/page.md")
            case("--update takes it over", root, "ok", code=0)
            page.write_text(kept)
        with edited(kernel, "__kernel void dot_product(", "__kernel void product("):
            case("a listing's first line gone", root, "0 lines begin with")
        with edited(page, "result    ", "result    9"):
            case("another output", root, "this is not what is printed (output")
        with edited(page, "device    ", "device    some other GPU, "):
            case("another device's name is masked", root, "ok", code=0)
        with edited(page, "FAILED", "PASSED"):
            case("another output of a trap", root, "this is not what is printed (trap")
        with edited(page, "cl_ulong n_arg = n;`", "cl_ulong m_arg = n;`"):
            case("a trap that replaces nothing", root, "which the trap replaces")
        with edited(page, "+  std::vector<float> a(n), b(n), partial", "+  std::vector<float> a(n), b(n), partly"):
            case("a diff that is none", root, "does not have, one after the other")
        with edited(page, "test -f 05", "test -f 99"):
            case("a command that fails", root, "exit code 1, where 0 was expected")
        with edited(page, "test -f 05-dot-product-naive/kernel.cl", "…"):
            case("a block of nothing but dots", root, "a block in which there is nothing")
        with edited(page, "<!-- run -->\n", ""):
            case("a block without a marker", root, "without a marker")
        with edited(page, "<!-- run -->", "<!-- not run -->"):
            case("not run, without a reason", root, "does not say why")
        with edited(page, "<!-- run -->", "<!-- run -->\n\nwords\n"):
            case("a marker without a block", root, "without a block")
        with edited(page, "(../05-dot", "(../55-dot"):
            case("a link that leads nowhere", root, "leads nowhere")
        with edited(page, "(#a-page)", "(#another-page)"):
            case("an anchor that is not there", root, "has no heading with the anchor #another-page")
        with edited(page, "reduction-tree.svg", "reduction-bush.svg"):
            case("an image that is not there", root, "figures/reduction-bush.svg leads nowhere")
        page.write_text(REMEMBERS)
        shutil.copytree(ROOT / "20-matmul-autotuned", root / "20-matmul-autotuned")
        usual = root / "cache"
        case("chapter 20 as it is", root, "ok", code=0, env=chapters.remembering(usual))
        assert not usual.exists(), f"left in the user's folder: {sorted(usual.rglob('*'))}"
        shutil.rmtree(root / "20-matmul-autotuned")
        page.unlink()

        # A chapter's README; its commands, outputs and traps are left out here, for time.
        chapter = root / "12-sum-unrolled" / "README.md"
        whole = re.sub(r"<!-- run.*? -->", "<!-- not run: tested elsewhere -->", chapter.read_text())
        whole = re.sub(r"<!-- (?:output|trap): .*? -->", "<!-- seen: tested elsewhere -->", whole)
        whole = re.sub(r"\]\(\.\./(?!docs/figures|12)[^)]*\)", "](kernel.cl)", whole)
        chapter.write_text(whole)
        readme = "12-sum-unrolled/README.md"
        case("the chapter as it is", root, "ok", page=readme, code=0)
        with edited(chapter, "## Traps", "## Pitfalls"):
            case("a section missing", root, 'no section "Traps"', page=readme)
        with edited(chapter, "## Run it", "## What to notice\n\n## Run it"):
            case("sections in another order", root, "not in order", page=readme)
        with edited(chapter, "## What changed in the host", "## The host"):
            case("nothing on the host", root, 'no section "What changed in the host"', page=readme)
        with edited(chapter, "<!-- diff: 11-sum-reduction/host.cpp 12-sum-unrolled/host.cpp -->\n```diff", "<!-- seen: elsewhere -->\n```"):
            case("no diff of the host", root, "no diff under", page=readme)
        with edited(chapter, ".svg)", ".png)"):
            case("no figure", root, "no figure", page=readme)
        with edited(chapter, "\ng++ ", "\nc++ "):
            case("no compiler line", root, "no line that begins with g++", page=readme)
        with edited(chapter, "## Exercises", "word " * 2000 + "\n\n## Exercises"):
            case("too long", root, "words: a chapter's README has 600 to 2,500", page=readme)
        chapter.write_text("# Short\n\n" + whole.partition("## Run it")[0][:2000])
        case("too short", root, "words: a chapter's README has 600 to 2,500", page=readme)
        chapter.write_text(whole)

        # docs/errors.md against common/clerr.h
        errors, table = root / "docs" / "errors.md", root / "common" / "clerr.h"
        case("errors as they are", root, "0 wrong", "errors.py", code=0)
        with edited(table, "a buffer of zero bytes", "a buffer of no bytes"):
            case("a cause changed in clerr.h", root, "of common/clerr.h is not there", "errors.py")
        with edited(errors, "## CL_MAP_FAILURE", "## CL_MAP_FAILED"):
            case("a heading misspelt", root, "the headings are not the table's names", "errors.py")
        with edited(errors, "-no-such-option", "-w"):
            case("a program that provokes nothing", root, "its program gives 0", "errors.py")
        with edited(errors, "Not provoked here: it takes a device that is occupied.", ""):
            case("neither a program nor a reason", root, "CL_DEVICE_NOT_AVAILABLE: needs either", "errors.py")

        # figures
        for pattern in ("*.md", "[01]*/README.md"):  # they show the figures
            for path in ROOT.glob(pattern):
                to = root / path.relative_to(ROOT)
                to.parent.mkdir(exist_ok=True)
                if path.parent.name != "12-sum-unrolled":
                    shutil.copy(path, to)
        case("figures as they are", root, "0 wrong", "figures.py", code=0)
        with edited(root / "docs/figures/tiling.svg", "barrier", "barrio"):
            case("a figure edited by hand", root, "tiling.svg is not what make.py draws", "figures.py")
        with edited(root / "12-sum-unrolled/README.md", "unrolled.svg", "other.svg"):
            case("a figure that is shown nowhere", root, "unrolled.svg is shown nowhere", "figures.py")

        # terms and the glossary
        concepts, eleven = root / "docs/concepts.md", root / "11-sum-reduction/README.md"
        case("terms as they are", root, "0 wrong", "glossary.py", code=0)
        with edited(concepts, "| latency |", "| lateness |"):
            case("a term that is not in the glossary", root, '11 introduces "latency"', "glossary.py")
        with edited(eleven, "**latency**", "latency"):
            case("a term that is introduced nowhere", root, '11 introduces "latency": it is not in bold', "glossary.py")
        with edited(root / "07-dot-product-profiling/README.md", "## Traps", "The latency is long.\n\n## Traps"):
            case("a term used before it is introduced", root, '07 uses "latency", which 11 introduces', "glossary.py")
        with edited(root / "07-dot-product-profiling/README.md", "## Traps", "The latency (chapter 11) is long.\n\n## Traps"):
            case("the same, with the chapter named", root, "0 wrong", "glossary.py", code=0)
        with edited(concepts, "| accelerator |", "| zeal, accelerator |"):
            case("a glossary out of order", root, "not in order", "glossary.py")
    print(f"{cases - failures} of {cases} cases as they should be")
    return 1 if failures else 0


sys.exit(main())
