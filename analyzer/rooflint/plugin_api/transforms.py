"""Changes of a nest for rules, each with its test of legality.

Rules of this program import the modules of the changes that they propose, and no others.
"""

from rooflint.transform.annotations import (
    offload,
    parallelise,
    promise_restrict,
    serialise,
    store_past_caches,
    vectorise,
)
from rooflint.transform.arithmetic.carried_terms import add_carried_last
from rooflint.transform.arithmetic.integer_division import integer_reciprocal
from rooflint.transform.arithmetic.operations import (
    contract,
    expand_powers,
    merge_divisions,
    reciprocal,
)
from rooflint.transform.bodies import fission, fuse
from rooflint.transform.branches.packing import packed_list, store_always
from rooflint.transform.expand import contract_array, expand_scalar, in_register
from rooflint.transform.hoisting import changeable_scalars, copy_scalars, hoist
from rooflint.transform.isolating import crossing, isolate, swap_inner
from rooflint.transform.jam import unroll_and_jam
from rooflint.transform.layout import narrow_elements, pad, split_fields
from rooflint.transform.loading import load_apart, load_first
from rooflint.transform.narrowing import narrow
from rooflint.transform.nest.tree import Site, name_of, sites
from rooflint.transform.order import interchange
from rooflint.transform.peeling import peel, unswitch
from rooflint.transform.repeated_calls import (
    allocate_once,
    allocation_pair,
    condition_length,
    count_once,
)
from rooflint.transform.replay import CHANGES, apply, from_json, to_json
from rooflint.transform.result import ChangedFunction, ChangeRefusal, Result, TransformStep
from rooflint.transform.sequence import free_order, in_sequence
from rooflint.transform.splitting import split_index
from rooflint.transform.strips import strip_mine, tile
from rooflint.transform.unrolling import unroll

__all__ = [
    "CHANGES",
    "ChangeRefusal",
    "ChangedFunction",
    "Result",
    "Site",
    "TransformStep",
    "add_carried_last",
    "allocate_once",
    "allocation_pair",
    "apply",
    "changeable_scalars",
    "condition_length",
    "contract",
    "contract_array",
    "copy_scalars",
    "count_once",
    "crossing",
    "expand_powers",
    "expand_scalar",
    "fission",
    "free_order",
    "from_json",
    "fuse",
    "hoist",
    "in_register",
    "in_sequence",
    "integer_reciprocal",
    "interchange",
    "isolate",
    "load_apart",
    "load_first",
    "merge_divisions",
    "name_of",
    "narrow",
    "narrow_elements",
    "offload",
    "packed_list",
    "pad",
    "parallelise",
    "peel",
    "promise_restrict",
    "reciprocal",
    "serialise",
    "sites",
    "split_fields",
    "split_index",
    "store_always",
    "store_past_caches",
    "strip_mine",
    "swap_inner",
    "tile",
    "to_json",
    "unroll",
    "unroll_and_jam",
    "unswitch",
    "vectorise",
]
