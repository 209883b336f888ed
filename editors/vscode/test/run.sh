#!/usr/bin/env bash
# Packs the extension without network and tests it in a real VS Code.
# usage: run.sh PYTHON     PYTHON has rooflint[lsp]; TOOLS is the folder of setup.sh
set -euo pipefail
python=$(cd "$(dirname "${1:?usage: run.sh PYTHON}")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TOOLS=${TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/rooflint-editors}
export SCREENSHOTS=${SCREENSHOTS:-$here/screenshots}
PYTHON=$python bash "$here/setup.sh" "$TOOLS"
node_home=$(echo "$TOOLS"/node/node_modules/node/node_modules/node-linux-*)
export PATH="$node_home/bin:$PATH"

cd "$here/.."
npm ci --silent --no-audit
rm -rf bundled # the package of test/bundled.sh has the server inside, this one has not
offline=()
unshare -n true 2>/dev/null && offline=(unshare -n)
"${offline[@]}" npm run --silent package
size=$(stat -c %s rooflint.vsix)
echo "rooflint.vsix: $size bytes${offline:+, packed without network}"
((size < 1000000)) || { echo "rooflint.vsix is over 1 MB" >&2; exit 1; }

scratch=$(mktemp -d)
cleanup() {
  [ -z "${server:-}" ] || kill -- "-$server" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
(cd test/probe && "$here/../node_modules/.bin/vsce" package --no-dependencies --allow-missing-repository \
  --skip-license -o "$scratch/probe.vsix" >/dev/null)
export WORKSPACE="$scratch/workspace"
cp -r test/workspace "$WORKSPACE"
free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
PORT=$(free_port)
ROOFLINT_PROBE_PORT=$(free_port)
export PORT ROOFLINT_PROBE_PORT

data="$scratch/data"
mkdir -p "$data/User" "$data/Machine" "$scratch/extensions"
cat > "$data/User/settings.json" <<JSON
{
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.tips.enabled": false,
  "window.commandCenter": false,
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  "editor.fontFamily": "DejaVu Sans Mono",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "files.autoSave": "off",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none"
}
JSON
printf '{"rooflint.interpreter": "%s"}\n' "$python" > "$data/Machine/settings.json"
printf 'auth: none\ncert: false\n' > "$data/config.yaml"
code=(node "$TOOLS/node_modules/code-server/out/node/entry.js" --config "$data/config.yaml"
  --user-data-dir "$data" --extensions-dir "$scratch/extensions")
"${code[@]}" --install-extension rooflint.vsix --install-extension "$scratch/probe.vsix" >"$scratch/install.log" 2>&1 ||
  { cat "$scratch/install.log" >&2; exit 1; }
setsid "${code[@]}" --auth none --bind-addr "127.0.0.1:$PORT" --disable-telemetry --disable-update-check \
  --disable-workspace-trust --disable-getting-started-override "$WORKSPACE" >"$scratch/server.log" 2>&1 &
server=$!
for _ in $(seq 200); do
  "$python" -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$PORT/healthz')" 2>/dev/null && break
  sleep 0.2
done
node --test --test-reporter=spec test/e2e.test.mjs || {
  tail -20 "$scratch/server.log" >&2
  find "$data/logs" -name '*Rooflint*.log' -exec tail -n 40 {} + >&2 || true
  exit 1
}
