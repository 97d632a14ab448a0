"""What every test may ask for.

A test with the argument `chapter` is there once for each chapter, or for each of its file's CHAPTERS, one with `exercise`
once for each exercise, so `-k 06` finds all that knows chapter 06. `report` counts what was looked at and what failed: a
test in which nothing was looked at fails, too. `full` says whether it is to look at everything (--release), `record` whether
what is recorded is to be written anew, to be read as a difference (--record).
"""

import os
import re

import pytest

from checker.exercise import all_exercises
from tests import chapter_facts, running

# From CMake's cache, so that the tests use what the programs were built with.
CACHE = running.BUILD / "CMakeCache.txt"
KNOWN = dict(re.findall(r"^(\w+):\w+=(.+)$", CACHE.read_text(), re.MULTILINE)) if CACHE.exists() else {}
IN_CACHE = {"CXX": "CMAKE_CXX_COMPILER", "CXX_FLAGS": "CMAKE_CXX_FLAGS", "CL_HEADERS": "OpenCL_INCLUDE_DIR"}
for name, in_cache in IN_CACHE.items():
    if in_cache in KNOWN:
        os.environ.setdefault(name, KNOWN[in_cache])
CACHE_GIVEN = "POCL_CACHE_DIR" in os.environ


def pytest_addoption(parser):
    group = parser.getgroup("OpenCL, step by step")
    group.addoption("--thorough", action="store_true", help="also what is not for every day")
    group.addoption("--release", action="store_true", help="everything, and as much of it as there is")
    group.addoption("--record", action="store_true", help="write what is recorded anew instead of comparing with it")


def pytest_generate_tests(metafunc):
    own = {name for mark in metafunc.definition.iter_markers("parametrize") for name in mark.args[0].split(",")}
    if "chapter" in metafunc.fixturenames and "chapter" not in own:
        metafunc.parametrize("chapter", getattr(metafunc.module, "CHAPTERS", running.CHAPTERS))
    if "exercise" in metafunc.fixturenames and "exercise" not in own:
        exercises = all_exercises()
        metafunc.parametrize("exercise", exercises, ids=[exercise.id for exercise in exercises])


def chapter_of(item):
    """The chapter that a test is about, or its number; "" if there is none."""
    chapter = getattr(item, "callspec", None) and item.callspec.params.get("chapter")
    return chapter or "".join(re.findall(r"\[(\d\d)[-/]", item.name)[:1])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Groups for the workers, and what is left out today."""
    named = any(".py" in word for word in config.args)
    left = []
    for item in items:
        chapter = chapter_of(item)
        name = item.path.stem.removeprefix("test_").replace("_", "-")
        if len(chapter) > 2 and name in chapter_facts.of(chapter).THOROUGH:
            item.add_marker("thorough")
        if chapter:
            item.add_marker(pytest.mark.xdist_group(chapter[:2]))
        if running.PATIENCE > 1 or config.option.release and "full" in item.fixturenames:
            item.add_marker(pytest.mark.timeout(5400), append=False)
        tiers = {mark.name for mark in item.iter_markers()} & {"thorough", "release"}
        allowed = {"thorough"} if config.option.thorough or config.option.record or named else set()
        left += [] if config.option.release or tiers <= allowed else [item]
    items[:] = [item for item in items if item not in set(left)]
    items.sort(key=chapter_of, reverse=True)  # the last chapters take longest: neither worker ends with them alone
    config.hook.pytest_deselected(items=left)


@pytest.fixture(autouse=True)
def kernel_cache(request, monkeypatch):
    """Where PoCL keeps compiled kernels: with those of CTest's run of the chapter. Two processes that compile the same
    kernel at once may fail (PoCL before 6, its issue 1480), so what is of no chapter has a folder of its own."""
    folder = chapter_of(request.node) or re.sub(r"\W+", "-", request.node.name)
    if not CACHE_GIVEN:
        monkeypatch.setenv("POCL_CACHE_DIR", str(running.BUILD / "pocl-cache" / folder))


@pytest.fixture
def report(request):
    chapter = chapter_of(request.node)
    if len(chapter) > 2 and running.left_out(chapter):
        pytest.skip(running.left_out(chapter))
    return running.Report()


@pytest.fixture
def full(request):
    return request.config.option.release


@pytest.fixture
def record(request):
    return request.config.option.record


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test with a report fails where that has failures or counted nothing, even if it is skipped half way."""
    report = pyfuncitem.funcargs.get("report")
    if report is None:
        return None
    try:
        pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames})
    except pytest.skip.Exception:
        if not report.failures:
            raise
    wrong = report.wrong()
    if wrong:
        pytest.fail("; ".join(wrong)[:2000], pytrace=False)
    return True
