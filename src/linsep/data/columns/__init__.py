"""Columns of a table become features. A batch is a `polars.DataFrame`; columns are found by name.

`statistics` counts, `decide` decides, `kinds` does what was decided, `schema` keeps it all. docs/columns.md.
"""

from .plan import HeldOut, Plan
from .schema import Schema, describe, infer_schema

__all__ = ["HeldOut", "Plan", "Schema", "describe", "infer_schema"]
