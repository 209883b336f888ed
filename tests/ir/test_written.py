"""Source texts whose names are known as names."""

from rooflint.ir import DataSize, Poly, Reason, SourceName, Unknown, plain, source_form
from rooflint.ir.poly import function
from rooflint.ir.written import form_text, join_pieces, names_in_form, with_names, without_marks
from rooflint.workers.wire import Codec

COLUMN = Unknown(
    (SourceName("col", "array"), "[", SourceName("j"), "]"), Reason("indirect", ("col",)), ("j",)
)
NESTED = without_marks(("a[", *source_form(Poly.symbol(COLUMN)), "+", "1]"))
SIZE = DataSize((*COLUMN.form[:2], SourceName("j"), "+1", "]", "-", *COLUMN.form))


def test_the_form_of_a_polynomial_is_its_print() -> None:
    poly = function("floordiv", Poly.symbol(COLUMN) * -8 + 3, Poly.symbol("n"))
    poly = poly * Poly.symbol("i") * 2 - Poly.symbol(SIZE) - 1
    assert form_text(source_form(poly)) == str(poly)
    assert plain(poly) == str(poly).replace("?", "")


def test_texts_beside_each_other_are_one_but_for_marks() -> None:
    assert join_pieces(("a", "b", "", SourceName("c"), "d")) == ("ab", SourceName("c"), "d")
    assert NESTED[:2] == ("a[", "?")
    assert form_text(NESTED) == "a[?col[j]+1]"


def test_names_are_replaced_in_parentheses_unless_alone_in_brackets() -> None:
    value = (SourceName("j"), "+1")
    form = (*COLUMN.form, "-", SourceName("j"), "*", SourceName("j", "array"))
    assert form_text(with_names(form, {"j": value})) == "col[j+1]-(j+1)*j"
    assert form_text(with_names(form, {"j": (SourceName("k"),)})) == "col[k]-k*j"


def test_a_size_that_the_data_decides_is_its_text_and_speaks_of_its_names() -> None:
    poly = Poly.symbol(SIZE)
    assert poly == Poly.symbol("col[j+1]-col[j]")
    assert poly.names() == {"col[j+1]-col[j]"}
    assert poly.mentions() == {"col[j+1]-col[j]", "col", "j"}
    assert SIZE.form_before(COLUMN.form) == (*COLUMN.form[:2], SourceName("j"), "+1]")


def test_forms_survive_json_and_the_wire() -> None:
    poly = Poly.symbol(SIZE) * 8 + Poly.symbol(COLUMN)
    codec = Codec[Poly](Poly)
    for back in (codec.from_json(codec.to_json(poly)), codec.decode(codec.encode(poly))):
        assert back == poly
        [size] = [atom for atom in back.atoms() if isinstance(atom, DataSize)]
        assert (size.form, names_in_form(size.form, "array")) == (SIZE.form, ["col", "col"])
    assert Codec[str](str).decode(Codec[str](str).encode(SIZE)) == SIZE
