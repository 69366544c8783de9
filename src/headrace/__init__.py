"""Headrace: raw text in, training batches out."""

__version__ = "0.1.0"
