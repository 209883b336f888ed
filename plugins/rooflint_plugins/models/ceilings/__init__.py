"""Ceilings: which optimisations a loop misses, what each is worth, which one to take next.

S. Williams, A. Waterman, D. Patterson: Roofline. CACM 52(4), 2009, and the technical report
UCB/EECS-2008-134 (section 3 for ceilings, section 4 for the regions, appendix A for the figures).
"""

from rooflint_plugins.models.ceilings.model import CeilingsModel, rooflint_models

__all__ = ["CeilingsModel", "rooflint_models"]
