#!/usr/bin/env bash
# One session of bundled.sh: an editor with a package installed, and the test in a browser.
# usage: bundled_session.sh libs|python FOLDER PROGRAMS SETTING     PROGRAMS in FOLDER is PATH
set -euo pipefail
export BUNDLED=$1
vsix=$2/rooflint.vsix probe=$2/probe.vsix programs=$2/$3 setting=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ip link set lo up 2>/dev/null || true # a network namespace of its own begins with nothing
scratch=$(mktemp -d)
cleanup() {
  [ -z "${server:-}" ] || kill -- "-$server" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
export WORKSPACE="$scratch/workspace" PORT=18443 ROOFLINT_PROBE_PORT=18444
cp -r "$here/workspace" "$WORKSPACE"
data="$scratch/data"
mkdir -p "$data/User" "$scratch/extensions"
cat > "$data/User/settings.json" <<JSON
{
  "workbench.startupEditor": "none",
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  $setting
}
JSON
printf 'auth: none\ncert: false\n' > "$data/config.yaml"
code=(env -u PYTHONPATH "PATH=$programs" node "$TOOLS/node_modules/code-server/out/node/entry.js"
  --config "$data/config.yaml" --user-data-dir "$data" --extensions-dir "$scratch/extensions")
"${code[@]}" --install-extension "$vsix" --install-extension "$probe" >"$scratch/install.log" 2>&1 ||
  { cat "$scratch/install.log" >&2; exit 1; }
origin='the extension, with its own Python'
if [ "$BUNDLED" = libs ]; then
  origin='the extension'
  rm -r "$scratch"/extensions/rooflint.rooflint-*/bundled/python
fi
setsid "${code[@]}" --auth none --bind-addr "127.0.0.1:$PORT" --disable-telemetry --disable-update-check \
  --disable-getting-started-override "$WORKSPACE" >"$scratch/server.log" 2>&1 &
server=$!
for _ in $(seq 200); do
  (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null && break
  sleep 0.2
done
node --test --test-reporter=spec "$here/bundled.test.mjs" || {
  tail -20 "$scratch/server.log" >&2
  find "$data/logs" -name '*Rooflint*.log' -exec tail -n 40 {} + >&2 || true
  exit 1
}
log=$(find "$data/logs" -name '*Rooflint*.log' -exec cat {} +)
grep -qF "($origin)" <<<"$log" || { echo "another server answered: $log" >&2; exit 1; }
