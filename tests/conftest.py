"""What every test may ask for.

A test with the argument `chapter` is there once for each chapter, one with `exercise` once for each exercise, so `-k 06`
finds all that knows chapter 06. `report` counts what was looked at and what failed: a test in which nothing was
looked at fails, too. `full` says whether it is to look at everything (--release), `record` whether what is
recorded is to be written anew, to be read as a difference (--record).
"""

import os
import re

import pytest

from checker.exercise import all_exercises
from tests import chapter_facts, running


def from_cmake(*names):
    """Values from CMake's cache, so that the tests use what the programs were built with; "" where there is none."""
    cache = running.BUILD / "CMakeCache.txt"
    known = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.MULTILINE)) if cache.exists() else {}
    return [known.get(name, "") for name in names]


NAMES = ["CXX", "CXX_FLAGS", "CL_HEADERS", "CMAKE", "CTEST"]
IN_CACHE = ["CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "OpenCL_INCLUDE_DIR", "CMAKE_COMMAND", "CMAKE_CTEST_COMMAND"]
for name, value in zip(NAMES, from_cmake(*IN_CACHE)):
    if value:
        os.environ.setdefault(name, value)
CACHE_GIVEN = "POCL_CACHE_DIR" in os.environ


def pytest_addoption(parser):
    group = parser.getgroup("OpenCL, step by step")
    group.addoption("--thorough", action="store_true", help="also what is not for every day")
    group.addoption("--release", action="store_true", help="everything, and as much of it as there is")
    group.addoption("--record", action="store_true", help="write what is recorded anew instead of comparing with it")


def pytest_generate_tests(metafunc):
    own = {name for mark in metafunc.definition.iter_markers("parametrize") for name in mark.args[0].split(",")}
    if "chapter" in metafunc.fixturenames and "chapter" not in own:
        metafunc.parametrize("chapter", running.CHAPTERS)
    if "exercise" in metafunc.fixturenames and "exercise" not in own:
        exercises = all_exercises()
        metafunc.parametrize("exercise", exercises, ids=[exercise.id for exercise in exercises])


def chapter_of(item):
    """The number of the chapter that a test is about, "" if there is none."""
    found = re.search(r"\[(\d\d)[-/]", item.name)
    return found.group(1) if found else ""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Groups for the workers, and what is left out today."""
    named = any(".py" in word for word in config.args)
    left = []
    for item in items:
        chapter = getattr(item, "callspec", None) and item.callspec.params.get("chapter")
        name = item.path.stem.removeprefix("test_").replace("_", "-")
        if chapter and name in chapter_facts.of(chapter).THOROUGH:
            item.add_marker("thorough")
        if chapter_of(item):
            item.add_marker(pytest.mark.xdist_group(chapter_of(item)))
        if running.PATIENCE > 1 or config.option.release and "full" in item.fixturenames:
            item.add_marker(pytest.mark.timeout(5400), append=False)
        everyday = not (item.get_closest_marker("thorough") or item.get_closest_marker("release"))
        thorough = (config.option.thorough or named) and not item.get_closest_marker("release")
        left += [] if everyday or thorough or config.option.release else [item]
    items[:] = [item for item in items if item not in set(left)]
    config.hook.pytest_deselected(items=left)


@pytest.fixture(autouse=True)
def environment():
    """What a test does to the environment ends with it."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(autouse=True)
def kernel_cache(request, environment, monkeypatch):
    """Where PoCL keeps compiled kernels: with those of CTest's run of the chapter. Two processes that compile the same
    kernel at once may fail (PoCL before 6, its issue 1480), so what is of no chapter has a folder of its own."""
    chapter = getattr(request.node, "callspec", None) and request.node.callspec.params.get("chapter")
    folder = chapter or chapter_of(request.node) or re.sub(r"\W+", "-", request.node.name)
    if not CACHE_GIVEN:
        monkeypatch.setenv("POCL_CACHE_DIR", str(running.BUILD / "pocl-cache" / folder))


@pytest.fixture
def report(request, record_property):
    chapter = getattr(request.node, "callspec", None) and request.node.callspec.params.get("chapter")
    if chapter and running.left_out(chapter):
        pytest.skip(running.left_out(chapter))
    report = running.Report()
    yield report
    record_property("counted", report.counted())


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
