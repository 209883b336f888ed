#!/usr/bin/env bash
# A session in Emacs without a window. usage: run.sh PYTHON; EMACS is its program, else that on PATH
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOFLINT_PYTHON=$(cd "$(dirname "${1:?usage: run.sh PYTHON}")" && pwd)/$(basename "$1")
export ROOFLINT_PYTHON
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here/../../vscode/test/workspace/kernels.c" "$scratch"
cd "$scratch"
ROOFLINT_FILE="$scratch/kernels.c" timeout 400 "${EMACS:-emacs}" --batch -Q -l "$here/session.el"
