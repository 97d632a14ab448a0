"""Code highlighting for OpenCL C: a lexer for Pygments, which has none. MkDocs loads this file as a hook."""

import re
import sys

import pygments.lexers
from pygments.lexers.c_cpp import CLexer
from pygments.token import Keyword, Name

__all__ = ["OpenCLLexer"]

WORDS = {
    Keyword: r"(__)?(kernel|global|local|constant|private|read_only|write_only)",
    Keyword.Type: r"(u?(char|short|int|long)|float|double|half)(2|3|4|8|16)|u(char|short|int|long)|half",
    Name.Builtin: r"get_(global|local)_(id|size)|get_group_id|get_num_groups|get_work_dim|get_global_offset|barrier|mem_fence"
    r"|mad|fma|dot|select|clamp|printf|atomic_add|v(load|store)(2|4|8|16)",
}


class OpenCLLexer(CLexer):
    """C with OpenCL's qualifiers, types and built-in functions."""

    name, aliases, filenames = "OpenCL C", ["opencl"], ["*.cl"]

    def get_tokens_unprocessed(self, text, stack=("root",)):
        for index, token, value in super().get_tokens_unprocessed(text, stack):
            if token in Name:
                token = next((kind for kind, words in WORDS.items() if re.fullmatch(words, value)), token)
            yield index, token, value


sys.modules.setdefault("opencl_lexer", sys.modules[__name__])
pygments.lexers.LEXERS["OpenCLLexer"] = ("opencl_lexer", "OpenCL C", ("opencl",), ("*.cl",), ())
