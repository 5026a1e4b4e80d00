"""Checks that many tests make."""

import pytest


def refused(kind, message, action, /, *arguments, **more):
    """The call raises an error of this kind, whose message holds this pattern."""
    with pytest.raises(kind, match=message):
        action(*arguments, **more)
