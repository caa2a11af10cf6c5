#!/usr/bin/env bash
# Makes clients of the description with the generators of six languages, none of which may warn of anything.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export PATH="$root/node_modules/.bin:$PATH"

. .ci/scratch.sh

install_for "python3 go java" python3 python3-venv golang-go default-jre-headless

start_service "$scratch/data"
curl -sf "$address/api/openapi.json" -o "$scratch/openapi.json"
cd "$scratch"

# Says in which language there is a client; fails if its generator warned of anything. A generator that cannot be
# installed here is named.
quiet() {
  if grep -iE 'warn|error' "$1.out"; then
    echo "The generator for $1 warns"
    exit 1
  fi
  echo "$1 has a client"
}
absent() { echo "There is no generator for $1 here, so it was not tried."; }

echo '{ "private": true }' >package.json
npm install --silent --no-fund --no-audit openapi-typescript@7.13.0 typescript@5.9.3
node_modules/.bin/openapi-typescript openapi.json --output forum.d.ts >TypeScript.out 2>&1
quiet TypeScript

# It looks for the formatter that is installed with it.
if python3 -m venv python >/dev/null 2>&1 && python/bin/pip install -q openapi-python-client==0.29.1 >/dev/null 2>&1; then
  # As docs/clients.md says: signals may be sent as text, which is JSON all the same.
  printf 'content_type_overrides:\n  text/plain: application/json\n  application/zip: application/octet-stream\n' >python.yaml
  PATH="$PWD/python/bin:$PATH" openapi-python-client generate --path openapi.json --output-path forum_python \
    --meta none --config python.yaml >Python.out 2>&1
  python/bin/python -c 'import forum_python.api.threads.thread_get'
  quiet Python
else
  absent Python
fi

export GOBIN="$scratch/go" GOFLAGS=-modcacherw GOPATH="$scratch/gopath"
if go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 >/dev/null 2>&1; then
  mkdir forum_go
  "$GOBIN/oapi-codegen" -generate types,client -package forum -o forum_go/forum.go openapi.json >Go.out 2>&1
  (cd forum_go && go mod init forum && go mod tidy && go vet .) >/dev/null 2>&1 || { echo "The client for Go is no program"; exit 1; }
  quiet Go
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
      grep -E '\b(WARN|ERROR)\b' | grep -vF 'OpenAPI 3.1 support is still in beta' >"$language.out" || true
    [ -n "$(ls -A "forum_$language")" ]
    quiet "$language"
  done
else
  absent Java
fi
