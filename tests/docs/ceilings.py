"""common/ceilings.cl says that it is chapter 15's kernel.cl word for word: is it?"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
copy = (ROOT / "common/ceilings.cl").read_text()
original = (ROOT / "15-device-ceilings/kernel.cl").read_text()
head, _, body = copy.partition("//\n")
if "chapter 15, word for word" not in head or body != original:
    sys.exit("FAILED  common/ceilings.cl is not its first two lines and then 15-device-ceilings/kernel.cl:\n"
             "        change both, or copy the one to the other")
print(f"ok      common/ceilings.cl: {len(original.splitlines())} lines as in chapter 15")
