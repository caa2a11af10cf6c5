#!/usr/bin/env bash
# Does what the Dockerfile says, without a container engine: each step in a copy of this machine that nothing is written
# through (an overlay in a mount namespace), and then the service in it as its user, without any capability, with nothing
# to write to but /data and /tmp. Needs root, and a Linux that lets it mount. Prints how large what it adds to the base is.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" != inside ]; then
  if [ "$(id -u)" -ne 0 ] || ! unshare --mount true 2>/dev/null; then
    echo "Nothing can be mounted here, so the steps of the image were not tried."
    exit 0
  fi
  exec unshare --mount --propagation private "$0" inside
fi

# Bytes that what the image adds to its base may have, compressed as a registry has it.
largest=$((100 * 1000 * 1000))

context=$PWD
scratch=$(mktemp -d)
mount -t tmpfs tmpfs "$scratch"
service=
finish() {
  status=$?
  [ "$status" -eq 0 ] || tail -20 "$scratch/log" 2>/dev/null || true
  [ -z "$service" ] || kill -KILL "$service" 2>/dev/null || true
  exit "$status"
}
trap finish EXIT

# A new stage: this machine with the Node of the project, as the base image has it, and the user that it has.
stage() {
  root="$scratch/$1/root"
  mkdir -p "$scratch/$1/upper" "$scratch/$1/work" "$root"
  if ! mount -t overlay overlay -o "lowerdir=/,upperdir=$scratch/$1/upper,workdir=$scratch/$1/work" "$root" 2>/dev/null; then
    echo "There are no overlays here, so the steps of the image were not tried."
    exit 0
  fi
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  install -D "$context/node_modules/node/bin/node" "$root/usr/local/bin/node"
  grep -q '^node:' "$root/etc/passwd" || echo 'node:x:1000:1000::/home/node:/bin/sh' >>"$root/etc/passwd"
  grep -q '^node:' "$root/etc/group" || echo 'node:x:1000:' >>"$root/etc/group"
  environment=(PATH="/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$(dirname "$(command -v npm)")" HOME=/root)
  directory=/
  user=root
}

# How packages are found here.
mapfile -t packages < <(env | grep -iE '^(npm_config_(registry|cafile|.*proxy)|https?_proxy|no_proxy|ssl_cert_file|node_extra_ca_certs)=' || true)

inside() { chroot "$root" /usr/bin/env -i "${packages[@]}" "${environment[@]}" /bin/sh -c "cd '$directory' && $1"; }

copy() {
  local from=$context
  if [[ $1 == --from=* ]]; then
    from="$scratch/${1#--from=}/root"
    shift
  fi
  local target=${*: -1}
  [[ $target == /* ]] || target="$directory/$target"
  for source in "${@:1:$#-1}"; do
    if [ -d "$from/$source" ]; then
      mkdir -p "$root/$target"
      cp -a --no-preserve=ownership "$from/$source/." "$root/$target"
    else
      cp -a --no-preserve=ownership "$from/$source" "$root/$target"
    fi
  done
}

# Instructions in one line each, without comments.
instructions() { sed -e '/^#/d' -e '/^ *$/d' Dockerfile | sed -e ':a' -e '/\\$/N; s/\\\n */ /; ta'; }

while read -r instruction words; do
  case "$instruction" in
    FROM) read -r _ _ name <<<"$words"; stage "${name:-final}" ;;
    WORKDIR) directory=$words; mkdir -p "$root/$words" ;;
    # shellcheck disable=SC2086
    COPY) copy $words ;;
    RUN) echo "RUN $words"; inside "$words" ;;
    # shellcheck disable=SC2206
    ENV) environment+=($words) ;;
    USER) user=$words ;;
    CMD) command=$words ;;
    VOLUME) volume=$words ;;
    EXPOSE | HEALTHCHECK) ;;
    *) echo "The instruction $instruction is not known here"; exit 1 ;;
  esac
done < <(instructions)

[ "$(stat -c %u:%a "$root$volume")" = 1000:700 ] || { echo "$volume is not the user's own"; exit 1; }
[ -z "$(find "$root/app" ! -user root)" ] || { echo "Something of /app belongs to another than root"; exit 1; }

bytes=$(tar -C "$root" -c app | gzip -6 | wc -c)
echo "What the image adds to its base: $(($(du -sb "$root/app" | cut -f1) / 1000 / 1000)) MB, $((bytes / 1000 / 1000)) MB compressed"
[ "$bytes" -le "$largest" ] || { echo "That is more than $((largest / 1000 / 1000)) MB"; exit 1; }

# What is in the image is not written to any more.
mkdir -p "$scratch/data"
chown 1000:1000 "$scratch/data"
mount --bind "$scratch/data" "$root$volume"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -o remount,ro "$root"

arguments=$(node -p 'JSON.parse(process.argv[1]).join(" ")' "$command")
# Namespaces of the pod, its user and nothing that it could become.
chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
  /usr/bin/env -i "${environment[@]}" HOST=127.0.0.1 PORT=0 /bin/sh -c "cd /app && exec $arguments" >"$scratch/log" 2>&1 &
service=$!
for _ in $(seq 600); do
  address=$(grep -m 1 -oE 'http://127\.0\.0\.1:[0-9]+' "$scratch/log" || true)
  [ -z "$address" ] || break
  kill -0 "$service"
  sleep 0.1
done
curl -sf -o /dev/null "$address/healthz"
curl -sf -o /dev/null "$address/readyz"
curl -sf -o /dev/null "$address/api/auth/password/signup" -H 'Content-Type: application/json' \
  -d '{"identifier": "odin", "token": "correct horse battery"}'
[ "$(awk '/^Uid/ { print $2 }' "/proc/$service/status")" = 1000 ] || { echo "It runs as another user"; exit 1; }
[ "$(awk '/^CapBnd/ { print $2 }' "/proc/$service/status")" = 0000000000000000 ] || { echo "It may do more"; exit 1; }
kill -TERM "$service"
wait "$service" || { echo "It did not stop in order"; exit 1; }
service=
echo "The steps of the image work, and the service runs in it as $user over a read-only tree"
