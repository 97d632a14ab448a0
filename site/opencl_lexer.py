"""Code highlighting for OpenCL C: a lexer for Pygments, which has none. MkDocs loads this file as a hook."""

import sys

import pygments.lexers
from pygments.lexers.c_cpp import CLexer
from pygments.token import Keyword, Name

__all__ = ["OpenCLLexer"]

VECTORS = {
    f"{t}{n}"
    for t in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half")
    for n in (2, 3, 4, 8, 16)
}
QUALIFIERS = {
    f"{u}{w}"
    for u in ("", "__")
    for w in ("kernel", "global", "local", "constant", "private", "read_only", "write_only")
}
FUNCTIONS = set(
    "get_global_id get_local_id get_group_id get_global_size get_local_size get_num_groups get_work_dim get_global_offset "
    "barrier mem_fence mad fma dot select clamp printf atomic_add "
    "vload2 vload4 vload8 vload16 vstore2 vstore4 vstore8 vstore16".split()
)


class OpenCLLexer(CLexer):
    """C with OpenCL's qualifiers, types and built-in functions."""

    name, aliases, filenames = "OpenCL C", ["opencl"], ["*.cl"]

    def get_tokens_unprocessed(self, text, stack=("root",)):
        for index, token, value in super().get_tokens_unprocessed(text, stack):
            if token in Name:
                if value in QUALIFIERS:
                    token = Keyword
                elif value in VECTORS or value in ("uint", "ulong", "uchar", "ushort", "half"):
                    token = Keyword.Type
                elif value in FUNCTIONS:
                    token = Name.Builtin
            yield index, token, value


sys.modules.setdefault("opencl_lexer", sys.modules[__name__])
pygments.lexers.LEXERS["OpenCLLexer"] = ("opencl_lexer", "OpenCL C", ("opencl",), ("*.cl",), ())
