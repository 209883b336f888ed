"""Cursor, operator and type kinds of libclang's C interface that the front end asks for."""

from typing import Final

from rooflint.ir.values import ArithmeticOp, RelationalOperator

# declarations
UNEXPOSED_DECLARATION: Final = 1
STRUCT: Final = 2
UNION: Final = 3
CLASS: Final = 4
BASE: Final = 44
FIELD: Final = 6
ENUM_CONSTANT: Final = 7
FUNCTION: Final = 8
VARIABLE: Final = 9
PARAMETER: Final = 10
TYPEDEF: Final = 20
METHOD: Final = 21
NAMESPACE: Final = 22
LINKAGE: Final = 23
CONSTRUCTOR: Final = 24
DESTRUCTOR: Final = 25
CONVERSION: Final = 26
CALLABLE: Final = frozenset((FUNCTION, METHOD))
METHODS: Final = frozenset((METHOD, CONSTRUCTOR, DESTRUCTOR, CONVERSION))
FUNCTION_TEMPLATE: Final = 30
CLASS_TEMPLATE: Final = 31
CLASS_PARTIAL: Final = 32
TYPE_ALIAS: Final = 36
LABEL_REF: Final = 48
OVERLOADED_REF: Final = 49

# expressions
EXPRESSIONS: Final = range(100, 200)
UNEXPOSED: Final = 100
DECL_REF: Final = 101
MEMBER_REF: Final = 102
CALL: Final = 103
INTEGER: Final = 106
FLOATING: Final = 107
STRING: Final = 109
CHARACTER: Final = 110
PAREN: Final = 111
UNARY: Final = 112
SUBSCRIPT: Final = 113
BINARY: Final = 114
COMPOUND_ASSIGN: Final = 115
CONDITIONAL: Final = 116
GNU_NULL: Final = 123
NULLPTR: Final = 131
COMPOUND_LITERAL: Final = 118
INIT_LIST: Final = 119
STATEMENT_EXPR: Final = 121
FUNCTIONAL_CAST: Final = 128
BOOL_LITERAL: Final = 130
THIS: Final = 132
THROW: Final = 133
NEW: Final = 134
DELETE: Final = 135
SIZEOF: Final = 136
LAMBDA: Final = 144
CASTS: Final = frozenset((117, 124, 125, 126, 127, 128, 152))

# statements
UNEXPOSED_STMT: Final = 200
LABEL: Final = 201
EVALUATED_INTEGER: Final = 1
EVALUATED_FLOAT: Final = 2
ANNOTATE_ATTRIBUTE: Final = 406
CONST_ATTRIBUTE: Final = 410
CUDA_DEVICE_ATTRIBUTE: Final = 413
CUDA_GLOBAL_ATTRIBUTE: Final = 414
CUDA_HOST_ATTRIBUTE: Final = 415
UNEXPOSED_ATTRIBUTE: Final = 400
COMPOUND: Final = 202
CASE: Final = 203
DEFAULT: Final = 204
IF: Final = 205
SWITCH: Final = 206
WHILE: Final = 207
DO: Final = 208
FOR: Final = 209
GOTO: Final = 210
INDIRECT_GOTO: Final = 211
CONTINUE: Final = 212
BREAK: Final = 213
RETURN: Final = 214
ASM: Final = 215
CATCH: Final = 223
TRY: Final = 224
RANGE_FOR: Final = 225
MS_ASM: Final = 229
NULL: Final = 230
DECL_STMT: Final = 231
LOOPS: Final = frozenset((WHILE, DO, FOR, RANGE_FOR))
JUMPS: Final = frozenset((BREAK, CONTINUE))
CONSTANTS: Final = frozenset((INTEGER, BOOL_LITERAL, CHARACTER))

# binary operators (clang_getCursorBinaryOperatorKind)
BINARY_NAMES: Final[dict[int, ArithmeticOp]] = {
    3: "mul", 4: "div", 5: "rem", 6: "add", 7: "sub", 8: "shl", 9: "shr",
    17: "and", 18: "xor", 19: "or",
}  # fmt: skip
COMPARISONS: Final[dict[int, RelationalOperator]] = {
    11: "<", 12: ">", 13: "<=", 14: ">=", 15: "==", 16: "!=",
}  # fmt: skip
MEMBER_POINTERS: Final = frozenset((1, 2))
"""``object.*pointer`` and ``object->*pointer``."""
LOGICAL_AND: Final = 20
LOGICAL_OR: Final = 21
ASSIGN: Final = 22
COMPOUND_NAMES: Final[dict[int, ArithmeticOp]] = {
    23: "mul", 24: "div", 25: "rem", 26: "add", 27: "sub", 28: "shl", 29: "shr",
    30: "and", 31: "xor", 32: "or",
}  # fmt: skip
COMMA: Final = 33

# unary operators (clang_getCursorUnaryOperatorKind)
POST_INC, POST_DEC, PRE_INC, PRE_DEC = 1, 2, 3, 4
ADDRESS, DEREFERENCE, PLUS, MINUS, NOT, LOGICAL_NOT = 5, 6, 7, 8, 9, 10
REAL, IMAG = 11, 12
STEPS: Final = {POST_INC: 1, POST_DEC: -1, PRE_INC: 1, PRE_DEC: -1}

# types
SCALAR_TYPES: Final = {
    3: "bool", 4: "i8", 5: "u8", 6: "u16", 7: "u32", 8: "u16", 9: "u32", 10: "u64", 11: "u64",
    12: "u128", 13: "i8", 14: "i8", 15: "i32", 16: "i16", 17: "i32", 18: "i64", 19: "i64",
    20: "i128", 21: "f32", 22: "f64", 23: "f80", 30: "f128", 31: "f16", 32: "f16", 39: "bf16",
}  # fmt: skip
T_VOID: Final = 2
T_DEPENDENT: Final = 26
"""Those between the two are numbers, ``bool`` and ``nullptr_t``."""
T_OPEN: Final = frozenset((1, T_DEPENDENT))
"""``CXType_Unexposed`` and ``CXType_Dependent``: of a template's pattern."""
T_COMPLEX: Final = 100
T_POINTER: Final = 101
T_REFERENCES: Final = frozenset((103, 104))
T_RECORD: Final = 105
T_ENUM: Final = 106
T_FUNCTIONS: Final = frozenset((110, 111))
T_CONSTANT_ARRAY: Final = 112
T_MEMBER_POINTER: Final = 117
T_VECTORS: Final = frozenset((113, 176))
T_INCOMPLETE_ARRAY: Final = 114
T_ARRAYS: Final = frozenset((112, 114, 115, 116))
