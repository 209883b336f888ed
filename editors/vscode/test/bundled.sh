#!/usr/bin/env bash
# Packs the extension with the server inside and tries it in a real VS Code without a network.
# usage: bundled.sh PYTHON     PYTHON has the package "build"; run.sh has to have run before
#
# Two sessions with empty settings: in a trusted workspace, by a Python on PATH that has no Rooflint,
# since the interpreter in the package is removed; and in Restricted Mode, by that interpreter.
set -euo pipefail
python=$(cd "$(dirname "${1:?usage: bundled.sh PYTHON}")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TOOLS=${TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/rooflint-editors}
export SCREENSHOTS=${SCREENSHOTS:-$here/screenshots}
node_home=$(echo "$TOOLS"/node/node_modules/node/node_modules/node-linux-*)
export PATH="$node_home/bin:$PATH"
most=40000000

scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$here/../bundled"' EXIT
cd "$here/../../.."
"$python" -m build --wheel --outdir "$scratch" . >/dev/null
cd "$here/.."

# the interpreter of PYTHON stands for a relocatable one
"$python" - "$scratch/python" <<'PYTHON'
import shutil
import sys
from pathlib import Path

version = f"python{sys.version_info.major}.{sys.version_info.minor}"
base, folder = Path(sys.base_prefix), Path(sys.argv[1])
left_out = shutil.ignore_patterns("site-packages", "__pycache__")
shutil.copytree(base / "lib" / version, folder / "lib" / version, ignore=left_out)
for library in (base / "lib").glob(f"lib{version}.so.1.0"):
    shutil.copy2(library, folder / "lib")
(folder / "bin").mkdir()
shutil.copy2(base / "bin" / version, folder / "bin" / "python3")
PYTHON

"$python" build_bundle.py linux-x64 "$scratch"/rooflint-*.whl "$scratch/python"
npm run --silent package -- --target linux-x64 >/dev/null
mv rooflint.vsix "$scratch"
size=$(stat -c %s "$scratch/rooflint.vsix")
echo "rooflint.vsix with server and interpreter: $size bytes"
((size <= most)) || { echo "rooflint.vsix is over $most bytes" >&2; exit 1; }
(cd test/probe && "$here/../node_modules/.bin/vsce" package --no-dependencies --allow-missing-repository \
  --skip-license -o "$scratch/probe.vsix" >/dev/null)

# what the editor's server itself calls, and no Python
mkdir "$scratch/programs"
for program in sh bash cat sed uname dirname readlink grep env ps which getconf git; do
  found=$(command -v "$program") && ln -s "$found" "$scratch/programs/$program"
done
ln -s "$node_home/bin/node" "$scratch/programs/node"
cp -r "$scratch/programs" "$scratch/programs-python"
ln -s "$("$python" -c 'import sys; print(f"{sys.base_prefix}/bin/python3")')" "$scratch/programs-python/python3"

offline=()
unshare -n true 2>/dev/null && offline=(unshare -n)
session() { # session NAME PROGRAMS SETTING
  "${offline[@]}" bash "$here/bundled_session.sh" "$1" "$scratch" "$2" "$3"
}
session libs programs-python '"security.workspace.trust.enabled": false'
session python programs '"security.workspace.trust.startupPrompt": "never"'
