"""A stage for the demo: of Python source only the documentation strings stay, in the order of the file."""

import ast
import inspect
import warnings
from collections.abc import Iterator
from typing import Literal

from headrace.stages.base import Document, DocumentStage, Drop

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Docstrings(DocumentStage):
    """Turn Python source into the text of its documentation strings; other files pass as they are."""

    kind: Literal["docstrings"] = "docstrings"

    def process(self, document: Document) -> Document | Drop:
        """Drop source without documentation, and source of another Python."""
        if not document.path.endswith(".py"):
            return document
        try:
            text = "\n\n".join(docstrings(document.text))
        except (SyntaxError, ValueError):  # the second for a NUL in the source
            return Drop("not_python")
        return document.but(text=text) if text else Drop("no_docstrings")


def docstrings(source: str) -> Iterator[str]:
    """Give the documentation strings of a module, its classes and functions, in order, without their indentation.

    >>> list(docstrings('def f(): "Turn the wheel."'))
    ['Turn the wheel.']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old escapes in other people's strings
        tree = ast.parse(source)
    found = [node for node in ast.walk(tree) if isinstance(node, Documented) and ast.get_docstring(node, clean=False)]
    for node in sorted(found, key=lambda node: node.body[0].lineno):
        yield inspect.cleandoc(ast.get_docstring(node, clean=False) or "")
