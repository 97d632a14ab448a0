"""Are the checks on the text red when they should be? Each case breaks a copy of the repository in one way."""

import contextlib
import pathlib
import shutil
import sys
import tempfile

from tests import running
from tests.running import ROOT

PAGE = """# A page

<!-- code: 05-dot-product-naive/kernel.cl from `__kernel void dot_product(` to `}` -->
```c
```

<!-- output: 05-dot-product-naive 1000 -->
```
```

<!-- trap: 05-dot-product-naive 1000
host.cpp
- cl_ulong n_arg = n;
+ cl_ulong n_arg = n - 1;
-->
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

<!-- trap: 20-matmul-autotuned 128 64 256
host.cpp
- return verdict(ok);
+ return verdict(false);
-->
```
…
FAILED
```
"""

# A lesson of the right form, in chapter 12's place.
LESSON = (
    """# 12 · A title

It takes 12 ms, and 3 would do.

## What you will learn

## The idea

![A figure, and what one sees in it](../docs/figures/unrolled.svg)

## The kernel

## What changed in the host

<!-- diff: ../11-sum-reduction/host.cpp host.cpp -->
```diff
```

## Run it

<!-- not run: for time -->
```sh
g++ -std=c++17 host.cpp -lOpenCL
```

## What to notice

## Traps

## What you can do now

<details><summary>1. Why?</summary>

`this`.

</details>
<details><summary>2. How?</summary>

So.

</details>
<details>
<summary>3. What else?</summary>

Nothing.

</details>

## Exercises

[1](exercises/1-maximum) [2](exercises/2-argmin) [3](exercises/3-choose-uf)

"""
    + "word " * 600
)


@contextlib.contextmanager
def edited(path, old, new):
    """Replaces the text for the time of a `with` block."""
    text = path.read_text()
    assert old in text, f"{path} does not contain {old!r}"
    path.write_text(text.replace(old, new, 1))
    yield
    path.write_text(text)


def check(report):
    def run(script, root, *arguments, env=None):
        code, out, err = running.run(
            [sys.executable, ROOT / "tests/run.py", script, *arguments], env={"DOCS_ROOT": str(root), **(env or {})}
        )
        return code, out + err

    def case(what, root, text, script="docs", page="docs/page.md", code=1, env=None):
        """The check must end with `code` and say `text`."""
        got, out = run(script, root, *([page] if script == "docs" else []), env=env)
        report.must(
            what, got == code and text in out, f"exit code {got}, where {code} and {text!r} were expected:\n{out}"
        )

    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in (
            "common",
            "docs",
            "05-dot-product-naive",
            "06-dot-product-reduction",
            "11-sum-reduction",
            "12-sum-unrolled",
        ):
            shutil.copytree(ROOT / folder, root / folder)
        page = root / "docs" / "page.md"
        page.write_text(PAGE)
        kernel = root / "05-dot-product-naive" / "kernel.cl"
        case("empty listings and outputs", root, "3 failures")
        run("docs", root, "--update", "docs/page.md")
        case("--update mends them", root, "ok      docs/page.md", code=0)
        assert "products[i] = a[i] * b[i];" in page.read_text() and "FAILED" in page.read_text()

        with edited(kernel, "a[i] * b[i];", "b[i] * a[i];"):
            case("a kernel line changed", root, "docs/page.md:4: the listing is not the code")
            kept = page.read_text()
            run("docs", root, "--update", "docs/page.md")
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
        with edited(page, "- cl_ulong n_arg", "- cl_ulong m_arg"):
            case("a trap whose code is not there", root, "stands 0 times in the code")
        with edited(page, "n - 1;\n-->", "n - 1;"):
            case("a comment that does not end", root, "a comment that does not end")
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
        case("chapter 20 as it is", root, "ok", code=0, env=running.remembering(usual))
        assert not usual.exists(), f"left in the user's folder: {sorted(usual.rglob('*'))}"
        shutil.rmtree(root / "20-matmul-autotuned")
        page.unlink()

        # A chapter's README: its form.
        chapter, readme = root / "12-sum-unrolled" / "README.md", "12-sum-unrolled/README.md"
        real = chapter.read_text()
        old, new = (
            (root / path / "host.cpp").read_text().splitlines() for path in ("11-sum-reduction", "12-sum-unrolled")
        )
        gone, come = (
            next(line for line in one if len(line) > 30 and line not in other)
            for one, other in ((old, new), (new, old))
        )
        chapter.write_text(LESSON.replace("```diff\n", f"```diff\n-{gone}\n+{come}\n"))
        case("a lesson of the right form", root, "ok", page=readme, code=0)
        for what, before, after, text in [
            ("another title", "# 12 ·", "# 11 ·", 'does not begin with "# 12 · "'),
            (
                "no number at the beginning",
                "It takes 12 ms, and 3",
                "As chapters 09 and 10 and [11](kernel.cl) say, less",
                "no number in the lines before",
            ),
            (
                "nothing before the first section",
                "It takes 12 ms, and 3 would do.",
                "",
                "no number in the lines before",
            ),
            ("an exercise not linked", "[2](exercises/2-argmin) ", "", "no link to exercises/2-argmin"),
            ("a section missing", "## Traps", "## Pitfalls", 'no section "Traps"'),
            ("sections in another order", "## The kernel", "## Exercises\n\n## The kernel", "not in order"),
            ("nothing on the kernel", "## The kernel", "## The code", 'no section "The kernel"'),
            (
                "nothing on the host",
                "## What changed in the host",
                "## The host",
                'no section "What changed in the host"',
            ),
            ("nothing at the end", "## What you can do now", "## The end", 'no section "What you can do now"'),
            (
                "no diff of the host",
                "<!-- diff: ../11-sum-reduction/host.cpp host.cpp -->\n```diff",
                "<!-- seen: elsewhere -->\n```",
                "no diff under",
            ),
            ("no figure", ".svg)", ".png)", "no figure"),
            ("no compiler line", "\ng++ ", "\nc++ ", "no line that begins with g++"),
            (
                "two questions",
                "<details><summary>2. How?</summary>\n\nSo.\n\n</details>",
                "",
                "have to be three questions",
            ),
            (
                "four questions",
                "## Exercises",
                "<details><summary>4. So?</summary>\n\nNo.\n\n</details>\n\n## Exercises",
                "have to be three questions",
            ),
            ("a question without an answer", "\n\nSo.", "", "have to be three questions"),
            ("a question that asks nothing", "2. How?", "2. Thus.", "have to be three questions"),
            (
                "too long",
                "## Exercises",
                "word " * 2000 + "\n\n## Exercises",
                "words: a chapter's README has 600 to 2,500",
            ),
            ("too short", "word " * 600, "<!-- " + "word " * 600 + "-->", "words: a chapter's README has 600 to 2,500"),
        ]:
            with edited(chapter, before, after):
                case(what, root, text, page=readme)
        chapter.write_text(real)

        # docs/errors.md against common/clerr.h
        errors, table = root / "docs" / "errors.md", root / "common" / "clerr.h"
        case("errors as they are", root, "0 failures", "docs-errors", code=0)
        with edited(table, "a buffer of zero bytes", "a buffer of no bytes"):
            case("a cause changed in clerr.h", root, "of common/clerr.h is not there", "docs-errors")
        with edited(errors, "## CL_MAP_FAILURE", "## CL_MAP_FAILED"):
            case("a heading misspelt", root, "the headings are not the table's names", "docs-errors")
        with edited(errors, "-no-such-option", "-w"):
            case("a program that provokes nothing", root, "its program gives 0", "docs-errors")
        with edited(errors, "Not provoked here: it takes a device that is occupied.", ""):
            case("neither a program nor a reason", root, "CL_DEVICE_NOT_AVAILABLE: needs either", "docs-errors")

        # figures
        for pattern in ("*.md", "[0-9][0-9]-*/README.md"):  # they show the figures
            for path in ROOT.glob(pattern):
                to = root / path.relative_to(ROOT)
                to.parent.mkdir(exist_ok=True)
                shutil.copy(path, to)
        case("figures as they are", root, "0 failures", "docs-figures", code=0)
        with edited(root / "docs/figures/tiling.svg", "barrier", "barrio"):
            case("a figure edited by hand", root, "tiling.svg is not what make.py draws", "docs-figures")
        with edited(root / "12-sum-unrolled/README.md", "unrolled.svg", "other.svg"):
            case("a figure that is shown nowhere", root, "unrolled.svg is shown nowhere", "docs-figures")

        # terms and the glossary
        concepts, eleven = root / "docs/concepts.md", root / "11-sum-reduction/README.md"
        case("terms as they are", root, "0 failures", "docs-glossary", code=0)
        with edited(concepts, "| latency |", "| lateness |"):
            case("a term that is not in the glossary", root, '11 introduces "latency"', "docs-glossary")
        with edited(eleven, "**latency**", "latency"):
            case(
                "a term that is introduced nowhere", root, '11 introduces "latency": it is not in bold', "docs-glossary"
            )
        with edited(root / "07-dot-product-profiling/README.md", "## Traps", "The latency is long.\n\n## Traps"):
            case("a term used before it is introduced", root, '07 uses "latency", which 11 introduces', "docs-glossary")
        with edited(
            root / "07-dot-product-profiling/README.md", "## Traps", "The latency (chapter 11) is long.\n\n## Traps"
        ):
            case("the same, with the chapter named", root, "0 failures", "docs-glossary", code=0)
        with edited(concepts, "| accelerator |", "| zeal, accelerator |"):
            case("a glossary out of order", root, "not in order", "docs-glossary")
