"""Is test_pages red where a page says what is not so? A page of a few blocks, with a mistake each."""

import shutil

import pytest

from tests.texts import test_pages

CHAPTERS = ["05-dot-product-naive", "06-dot-product-reduction"]
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
"""
MISTAKES = {
    "a kernel's line": ("b[i];", "b[i] + 1;", "the listing is not the code"),
    "an output": ("result    ", "result    9", "this is not what is printed (output"),
    "a trap's output": ("\nFAILED", "\nPASSED", "this is not what is printed (trap"),
    "a trap's code": ("- cl_ulong n_arg", "- cl_ulong m_arg", "stands 0 times in the code"),
    "a diff": ("products(n, NAN)", "product(n, NAN)", "does not have, one after the other"),
    "a command": ("test -f 05", "test -f 99", "exit code 1, where 0 was expected"),
    "no marker": ("<!-- run -->\n", "", "without a marker"),
    "no reason": ("<!-- run -->", "<!-- not run -->", "does not say why"),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A repository of two chapters and that page, its empty blocks filled in."""
    folder = tmp_path_factory.mktemp("repository")
    for name in ["common", *CHAPTERS]:
        shutil.copytree(test_pages.ROOT / name, folder / name)
    (folder / "docs").mkdir()
    (folder / "docs" / "page.md").write_text(PAGE)
    return folder


@pytest.mark.thorough
@pytest.mark.xdist_group("pages-red")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_page_is_refused(root, monkeypatch, mistake):
    monkeypatch.setattr(test_pages, "ROOT", root)
    page = root / "docs" / "page.md"
    assert test_pages.check_page(page, update=True) == []
    text, (right, wrong, said) = page.read_text(), MISTAKES[mistake]
    assert right in text
    page.write_text(text.replace(right, wrong, 1))
    found = test_pages.check_page(page, update=False)
    page.write_text(text)
    assert any(said in sentence for sentence in found), found
