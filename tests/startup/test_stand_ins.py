"""Modules imported without some of their parts do the same as Python's own import of them."""

import subprocess
import sys

import pytest

PARTS = {"urllib.parse", "gettext", "platform", "msgspec._json_schema", "msgspec.inspect"}
PARTS |= {"typing_extensions", "msgspec.toml", "msgspec.yaml", "inspect", "ipaddress", "locale"}
LIGHTLY = "from rooflint.startup.stand_ins import import_others; import_others()"
USES = {
    "a path as URL": "import pathlib; print(pathlib.PurePosixPath('/a b/ö').as_uri())",
    "messages": """
import argparse
parser = argparse.ArgumentParser('x', exit_on_error=False)
parser.add_argument('-n', nargs=2)
parser.add_argument('-m', nargs=1)
parser.add_argument('--one', choices='ab', help='either')
print(parser.format_help())
for words in ['-n 1', '-m', '--one c']:
    try:
        parser.parse_args(words.split())
    except argparse.ArgumentError as error:
        print(error)
""",
    "schemas": """
import msgspec
class Record(msgspec.Struct):
    number: int
    other: 'list[str] | None' = None
print(msgspec.json.schema(Record), msgspec.json.schema(int), msgspec.inspect.type_info(int))
print(isinstance(msgspec.inspect.type_info(int), msgspec.inspect.IntType))
""",
    "modules by name": """
import msgspec.inspect, msgspec.yaml, msgspec.toml, urllib.parse, gettext, platform
print(isinstance(msgspec.inspect.type_info(str), msgspec.inspect.StrType))
print(urllib.parse.urlsplit('http://x/y').netloc, gettext.gettext('x'), platform.system())
print(msgspec.yaml.__name__, msgspec.toml.__name__, urllib.parse.__spec__ is not None)
""",
    "uuids": "import uuid, msgspec; print(msgspec.json.encode(uuid.UUID(int=7)), uuid.uuid5)",
}


def printed(program: str) -> str:
    """What the program prints in a process of its own."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("use", USES)
def test_what_is_imported_lightly_does_the_same(use: str) -> None:
    def shown(program: str) -> str:
        return printed(program).partition(" at 0x")[0]

    assert shown(f"{LIGHTLY}\n{USES[use]}") == shown(USES[use])


def test_no_part_is_imported_that_no_command_needs() -> None:
    there = printed(f"import sys; {LIGHTLY}; print(*sys.modules)").split()
    assert not PARTS & set(there)
    assert {"msgspec", "msgspec.json", "argparse", "pathlib", "uuid"} <= set(there)


def test_a_module_that_is_there_stays() -> None:
    program = (
        "import sys, platform, urllib.parse as parse, typing_extensions as more\n"
        f"{LIGHTLY}\n"
        "print(sys.modules['platform'] is platform, sys.modules['urllib.parse'] is parse,"
        " sys.modules['typing_extensions'] is more)"
    )
    assert printed(program).split() == ["True"] * 3


def test_an_import_that_fails_leaves_no_stand_in() -> None:
    program = """
import sys
from rooflint.startup.stand_ins import Absence
try:
    with Absence({"gettext": {}, "typing_extensions": None}):
        import no_such_module
except ModuleNotFoundError:
    print("gettext" in sys.modules, "typing_extensions" in sys.modules)
"""
    assert printed(program).split() == ["False", "False"]


def test_a_function_that_is_called_while_the_module_is_imported_is_there(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "eager.py").write_text("import calm\nVALUE = calm.value(2) + calm.value(3)\n")
    (folder / "calm.py").write_text("def value(number):\n    return number * 10\n")
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "from rooflint.startup.stand_ins import Absence\n"
        "with Absence({'calm': {}}): import eager\n"
        "print(eager.VALUE, sys.modules['calm'].__file__ is not None)"
    )
    assert printed(program).split() == ["50", "True"]
