"""Affine forms over names: ``{name: coefficient}`` with the constant under the name ""."""

from rooflint.ir.terms import add_term

Form = dict[str, int]


def scale_form(form: Form, factor: int, shift: int = 0) -> Form:
    """``factor * form + shift``, for a factor other than zero."""
    result = {name: coefficient * factor for name, coefficient in form.items()}
    if shift:
        result[""] = result.get("", 0) + shift
    return result


def difference(left: Form, right: Form) -> Form:
    """``left - right`` without zero coefficients."""
    return combine_forms(left, 1, right, -1)


def combine_forms(left: Form, by: int, right: Form, times: int) -> Form:
    """``by * left + times * right`` without zero coefficients of names that both have."""
    result = dict(left) if by == 1 else {name: by * c for name, c in left.items()}
    for name, coefficient in right.items():
        add_term(result, name, times * coefficient)
    return result
