"""Every difference that is right, each with its reason. What fits no rule fails the run.

The rules are in allowed_results, allowed_values and allowed_searches; a difference is counted by the first that fits.
"""
import allowed_results  # noqa: F401  (registers its rules)
import allowed_searches  # noqa: F401
import allowed_values  # noqa: F401
from rules import RULES, find

__all__ = ["RULES", "find"]
