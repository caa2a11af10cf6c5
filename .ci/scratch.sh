# For scripts that start the service: a directory `scratch`, and `service`, the id of its process. Both end with the script.
scratch=$(mktemp -d)
# The service's own PostgreSQL runs as another user when this runs as root.
chmod 755 "$scratch"
service=
finish() {
  if [ -n "$service" ]; then
    kill -TERM "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
  fi
  rm -rf "$scratch"
}
trap finish EXIT
