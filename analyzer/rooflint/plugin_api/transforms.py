"""Changes of a nest for rules, each with its test of legality."""

from rooflint import transform
from rooflint.transform import *  # noqa: F403 - all that it declares is public

__all__: list[str] = []
__all__ += transform.__all__
