#!/usr/bin/env bash
# Tries in a real browser, against a running service, what only browsers do. CHROMIUM names the browser, and
# PICTURES a directory for what pages look like.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"

find_browser() {
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -n "$name" ] && command -v "$name" && return
  done
  return 1
}

install() {
  timeout 120 apt-get update -qq && timeout 300 apt-get install -y -qq --no-install-recommends chromium >/dev/null
}

if ! browser=$(find_browser); then
  echo "Installing Chromium"
  if ! install; then
    echo "No browser can be installed here, so what only browsers do was not tried."
    exit 0
  fi
  browser=$(find_browser)
fi

. .ci/scratch.sh

# Waits for a service that is started in the background with these settings: serve NAME=value…
serve() {
  : >"$log"
  env "$@" node src/main.js >"$log" 2>&1 &
  service=$!
  logged 'Listening on' >/dev/null
}

# Passkeys are for the origin of the public address, so the ports have to be known before the service starts.
port=$(free_port)
address="http://localhost:$port"
frontend="http://localhost:$(free_port)"
serve PORT="$port" PUBLIC_URL="$address" WEB_URL="$frontend" DATA_DIR="$scratch/data"

node test/browser/pages.ts "$address" "$frontend" "$browser"
node test/browser/live.ts "$address" "$frontend" "$browser"
node test/browser/passkeys.ts "$address" "$browser"

# The pages of the service answer where there is no frontend.
stop_service
serve PORT="$port" PUBLIC_URL="$address" DATA_DIR="$scratch/alone"
node test/browser/own-pages.ts "$address" "$browser" "${PICTURES:-}"

# Two instances of its own, over a database of their own.
stop_service
mkdir "$scratch/changes"
chmod 755 "$scratch/changes"
node test/browser/changes.ts "$browser" "$scratch/changes"
