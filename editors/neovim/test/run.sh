#!/usr/bin/env bash
# A session in Neovim without a window. usage: run.sh PYTHON; NVIM is its program, else that on PATH
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOFLINT_PYTHON=$(cd "$(dirname "${1:?usage: run.sh PYTHON}")" && pwd)/$(basename "$1")
export ROOFLINT_PYTHON
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here/../../vscode/test/workspace/kernels.c" "$scratch"
cd "$scratch"
timeout 400 "${NVIM:-nvim}" --clean --headless -l "$here/session.lua" "$scratch/kernels.c"
