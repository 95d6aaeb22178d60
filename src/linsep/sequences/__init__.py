"""Sequences as data: columns of words and features by templates, spans and their F1, which labels may follow which."""

from __future__ import annotations

from .columns import Columns, Templates, window
from .spans import Spans, bio_forbidden, span_scores, spans

__all__ = ["Columns", "Spans", "Templates", "bio_forbidden", "span_scores", "spans", "window"]
