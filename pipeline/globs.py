"""Globs over paths and URLs, as `schemas/globs.py` defines them, under the name that the pipeline's modules use."""

from headrace.schemas.globs import WILD, expression

__all__ = ["WILD", "expression"]
