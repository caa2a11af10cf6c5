#!/usr/bin/env bash
# Runs the programs of docs/clients.md and docs/oauth.md as they are printed there, against one running service.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH="$root/node_modules/.bin:$PATH"

. .ci/scratch.sh
. .ci/programs.sh

install_for "python3 go" python3 golang-go

start_service "$scratch/data"
export FORUM_URL=$address

mkdir "$scratch/programs"
shown sh 1 docs/clients.md >"$scratch/programs/key.sh"
shown sh 2 docs/clients.md >"$scratch/programs/client.sh"
shown python 1 docs/clients.md >"$scratch/programs/client.py"
shown go 1 docs/clients.md >"$scratch/programs/client.go"
shown ts 1 docs/clients.md >"$scratch/programs/client.ts"
cd "$scratch/programs"

# The first account is the administrator.
curl -sf -o /dev/null "$FORUM_URL/api/auth/password/signup" -H 'Content-Type: application/json' \
  -d '{"identifier": "odin", "token": "correct horse battery"}'
FORUM_KEY=$(sh -eu key.sh | sed 's/.*"secret":"\([^"]*\)".*/\1/')
export FORUM_KEY

# All blocks of the page are one program.
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/docs/oauth.md" >oauth.sh
sh oauth.sh >oauth.out
expect oauth '/oauth/consent?user_code=' 'Granted: openid profile offline_access' \
  'Revoked: 200' 'Registered: foc_' 'Tide tables' 'Ended: 401'

sh client.sh >curl.out
expect curl 304 invalid-request '"path":"title"'

if command -v python3 >/dev/null; then
  python3 client.py >python.out
  expect python 'Written by Python has 1 reply' 'nothing new' "invalid-request ['title']"
else
  echo "There is no Python here, so its program was not run."
fi

if command -v go >/dev/null; then
  go run client.go >go.out
  expect go 'Written by Go has 1 reply' 'nothing new' 'invalid-request title'
else
  echo "There is no Go here, so its program was not run."
fi

echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-fund --no-audit openapi-fetch@0.17.0 openapi-typescript@7.13.0 typescript@5.9.3
node_modules/.bin/openapi-typescript "$FORUM_URL/api/openapi.json" --output forum.d.ts
node_modules/.bin/tsc --noEmit --strict --target ESNext --lib ESNext,DOM --module NodeNext --skipLibCheck \
  --allowImportingTsExtensions --types node --typeRoots "$root/node_modules/@types" client.ts
node client.ts >typescript.out
expect typescript 'Written by TypeScript has 1 reply' 'nothing new' 'invalid-request The request is not valid'
