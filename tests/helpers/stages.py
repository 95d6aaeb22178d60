"""What the quick stage of the tests does less of."""

from typing import Any

from hypothesis import settings


def examples(count: int, **more: Any) -> settings:
    """Hypothesis tries ``count`` examples in ``script/test --all``, and a third of them in the quick stage."""
    return settings(max_examples=max(5, count * settings().max_examples // 60), deadline=None, **more)
