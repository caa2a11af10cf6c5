# For scripts that start the service: a directory `scratch`, and `service`, the id of its process. Both end with the script,
# which shows the end of the `log` of the service if it fails.
scratch=$(mktemp -d)
# The service's own PostgreSQL runs as another user when this runs as root.
chmod 755 "$scratch"
# Settings of whoever runs this, such as a database, are none of the service's that the script starts.
unset $(sed -n 's/^| `\([A-Z0-9_]*\)` |.*/\1/p' docs/operating.md)
service=
log="$scratch/service.log"
finish() {
  [ "$?" -eq 0 ] || tail -20 "$log" 2>/dev/null || true
  if [ -n "$service" ]; then
    kill -TERM "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
  fi
  rm -rf "$scratch"
}
trap finish EXIT
