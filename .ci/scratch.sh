# For scripts that start the service: a directory `scratch`, `start_service`, and `service`, the id of its process. They end
# with the script, which shows the end of the `log` of the service if it fails.
scratch=$(mktemp -d)
# The service's own PostgreSQL runs as another user when this runs as root.
chmod 755 "$scratch"
# Settings of whoever runs this, such as a database, are none of the service's that the script starts.
unset $(sed -n 's/^| `\([A-Z0-9_]*\)` |.*/\1/p' docs/operating.md)
service_root=$PWD
service=
# Ids of other processes that end with the script.
others=
log="$scratch/service.log"
: >"$log"
finish() {
  [ "$?" -eq 0 ] || tail -20 "$log" 2>/dev/null || true
  if [ -n "$service" ]; then
    kill -TERM "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
  fi
  for other in $others; do kill -TERM "$other" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap finish EXIT

# Waits until the service has written this, and answers it: logged 'Listening on .*'
logged() {
  for _ in $(seq 600); do
    grep -m 1 -oE "$1" "$log" && return
    kill -0 "$service" || return
    sleep 0.1
  done
  echo "The service did not start" >&2
  return 1
}

# Starts the service of this checkout with its data in a directory, and sets `address`: start_service "$scratch/data"
start_service() {
  # Not of the service before.
  : >"$log"
  (cd "$service_root" && exec env HOST=127.0.0.1 PORT=0 DATA_DIR="$1" node src/main.js) >"$log" 2>&1 &
  service=$!
  address=$(logged 'http://127\.0\.0\.1:[0-9]+')
}
stop_service() {
  kill -TERM "$service"
  wait "$service"
  service=
}

# A port that nothing listens on.
free_port() {
  node -p 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() }); ""' | head -1
}

# Installs packages of Debian where one of these programs is missing and this may: install_for "go java" golang-go default-jre-headless
install_for() {
  for program in $1; do
    command -v "$program" >/dev/null && continue
    shift
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
      timeout 120 apt-get update -qq || true
      timeout 400 apt-get install -y -qq --no-install-recommends "$@" >/dev/null || true
    fi
    return
  done
}
