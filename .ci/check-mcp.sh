#!/usr/bin/env bash
# Runs the official conformance tests of the Model Context Protocol against a running service, in each version that it
# speaks. What cannot pass here is named with its reason in test/mcp/conformance; the runner fails if it passes all the same.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH="$root/node_modules/.bin:$PATH"

. .ci/scratch.sh

# The only versions of the runner that know 2026-07-28.
runner=@modelcontextprotocol/conformance@0.2.0-alpha.12
mkdir "$scratch/runner"
cd "$scratch/runner"
echo '{ "private": true }' >package.json
npm install --silent --no-fund --no-audit --ignore-scripts "$runner"
conformance() { node_modules/.bin/conformance "$@"; }

# Programs reach the service where the runner does.
port=$(free_port)
export MCP_ENABLED=true OAUTH_CIMD_ENABLED=true PUBLIC_URL="http://127.0.0.1:$port"
start_service "$scratch/data"

json='Content-Type: application/json'
curl -sf -o /dev/null "$address/api/auth/password/signup" -c cookies.txt -H "$json" \
  -d '{"identifier": "odin", "token": "correct horse battery"}'
FORUM_KEY=$(curl -sf "$address/api/auth/access-keys" -b cookies.txt -H "$json" -d '{"name": "conformance"}' |
  sed 's/.*"secret":"\([^"]*\)".*/\1/')
export FORUM_KEY
node "$root/test/mcp/conformance/gateway.ts" "$port" "$address" &
others="$others $!"
curl -sf --retry 50 --retry-connrefused --retry-delay 1 -o /dev/null "$PUBLIC_URL/healthz"

for version in 2025-06-18 2025-11-25 2026-07-28; do
  conformance server --url "$PUBLIC_URL/mcp" --suite all --spec-version "$version" \
    --expected-failures "$root/test/mcp/conformance/$version.yml" >"$version.out" 2>&1 ||
    { cat "$version.out"; exit 1; }
  echo "$version: what can pass passes"
done

# The same for the authorisation server to which such programs are led: somebody approves what the runner asks for.
callback=$(free_port)
client_id=$(curl -sf "$address/api/auth/oauth/clients" -b cookies.txt -H "$json" -d "{\"name\": \"conformance\",
  \"type\": \"public\", \"redirect_uris\": [\"http://127.0.0.1:$callback/callback\"], \"allowed_scopes\": [\"READ_PROFILE\"],
  \"allowed_grants\": [\"authorization_code\"], \"pkce_required\": true}" | sed 's/.*"client_id":"\([^"]*\)".*/\1/')
conformance authorization --url "$PUBLIC_URL" --client-id "$client_id" --resource "$PUBLIC_URL/mcp" --port "$callback" \
  >authorisation.out 2>&1 &
asking=$!
for _ in $(seq 300); do
  asked=$(grep -m 1 -oE "$PUBLIC_URL/api/oauth/authorize\?[^ ]+" authorisation.out || true)
  [ -z "$asked" ] || break
  kill -0 "$asking"
  sleep 0.1
done
page=$(curl -s -o /dev/null -w '%{redirect_url}' -b cookies.txt "$asked")
location=$(curl -sf "$address/api/oauth/authorize/consent" -b cookies.txt -H "$json" \
  -d "{\"request_id\": \"${page##*request_id=}\", \"decision\": \"approve\"}" | sed 's/.*"location":"\([^"]*\)".*/\1/')
curl -sf -o /dev/null "$location"
wait "$asking" || { cat authorisation.out; exit 1; }
echo "The authorisation server passes"
