#!/usr/bin/env bash
# Makes clients of the description with the generators of six languages, none of which may warn of anything, and uses those
# for Python and Go against a service with data.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH="$root/node_modules/.bin:$PATH"

. .ci/scratch.sh
. .ci/programs.sh

install_for "python3 go java" python3 python3-venv golang-go default-jre-headless

# Its data are made while the generators are installed.
HOST=127.0.0.1 PORT=0 node --disable-warning=ExperimentalWarning src/operator/main.ts demo --directory "$scratch/demo" >"$log" 2>&1 &
service=$!
cd "$scratch"

# Says in which language there is a client; fails if its generator warned of anything. A generator that cannot be
# installed here is named.
quiet() {
  if grep -iE 'warn|error' "$1.said"; then
    echo "The generator for $1 warns"
    exit 1
  fi
  echo "$1 has a client"
}
absent() { echo "There is no generator for $1 here, so it was not tried."; }

echo '{ "private": true }' >package.json
npm install --silent --no-fund --no-audit openapi-typescript@7.13.0 typescript@5.9.3
has_python=$(python3 -m venv python >/dev/null 2>&1 && python/bin/pip install -q openapi-python-client==0.29.1 >/dev/null 2>&1 && echo yes || true)
export GOBIN="$scratch/go" GOFLAGS=-modcacherw GOPATH="$scratch/gopath"
has_go=$(go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 >/dev/null 2>&1 && echo yes || true)

address=$(logged 'http://127\.0\.0\.1:[0-9]+')
curl -sf "$address/api/openapi.json" -o openapi.json
person=mira
password=repair-cafe-demo
json='Content-Type: application/json'
curl -sf -o /dev/null "$address/api/auth/password/signin" -c cookies.txt -H "$json" \
  -d "{\"identifier\": \"$person\", \"token\": \"$password\"}"
FORUM_URL=$address
FORUM_KEY=$(curl -sf "$address/api/auth/access-keys" -b cookies.txt -H "$json" -d '{"name": "generated"}' |
  sed 's/.*"secret":"\([^"]*\)".*/\1/')
export FORUM_KEY FORUM_URL

node_modules/.bin/openapi-typescript openapi.json --output forum.d.ts >TypeScript.said 2>&1
quiet TypeScript

if [ -n "$has_python" ]; then
  # As docs/clients.md says.
  printf 'content_type_overrides:\n  application/zip: application/octet-stream\n' >python.yaml
  # It looks for the formatter that is installed with it.
  PATH="$PWD/python/bin:$PATH" openapi-python-client generate --path openapi.json --output-path forum_python \
    --meta none --config python.yaml >Python.said 2>&1
  sed -i 's/^from \.\.\.types import UNSET, File, Response$/&, Unset/' forum_python/api/plugins/plugin_add.py
  quiet Python
  shown python 2 docs/clients.md >client.py
  python/bin/python client.py >python.out
  expect python 'Written by a generated client has 1 reply' 'nothing new' "invalid-request ['title']"
  PYTHONPATH=$PWD python/bin/python "$root/.ci/generated/reads.py" "$address" "$person" "$password"
else
  absent Python
fi

if [ -n "$has_go" ]; then
  mkdir -p forum_go/client forum_go/reads
  "$GOBIN/oapi-codegen" -generate types,client -package forum -o forum_go/forum.go openapi.json >Go.said 2>&1
  quiet Go
  shown go 2 docs/clients.md >forum_go/client/main.go
  cp "$root/.ci/generated/reads.go" forum_go/reads/main.go
  cd forum_go
  { go mod init forum && go mod tidy && go vet ./client ./reads; } >../Go.vet 2>&1 || { cat ../Go.vet; exit 1; }
  go run ./client >../go.out
  go run ./reads "$address" "$person" "$password" ../openapi.json
  cd ..
  expect go 'Written by a generated client in Go has 1 reply' 'nothing new' '/api/problems/thread-not-found'
else
  absent Go
fi

version=7.25.0
jar=openapi-generator-cli-$version.jar
if command -v java >/dev/null &&
  curl -sf -o "$jar" "https://repo.maven.apache.org/maven2/org/openapitools/openapi-generator-cli/$version/$jar"; then
  for language in java csharp ruby; do
    # It warns of every description in OpenAPI 3.1; what it says besides is of ours. Files have names with "Error".
    java -jar "$jar" generate -g "$language" -i openapi.json -o "forum_$language" 2>&1 |
      grep -E '\b(WARN|ERROR)\b' | grep -vF 'OpenAPI 3.1 support is still in beta' >"$language.said" || true
    [ -n "$(ls -A "forum_$language")" ]
    quiet "$language"
  done
else
  absent Java
fi
