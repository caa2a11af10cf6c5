#!/usr/bin/env bash
# Tries the files of deploy/: their own programs read them, and a backup of a running service is made and restored.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH:/usr/sbin"

. .ci/scratch.sh

install_for "nginx promtool go" nginx-light prometheus golang-go

# Runs the rest of its words if the first is a program here.
tried() {
  if command -v "$1" >/dev/null; then "$@"; else echo "There is no $1 here, so it was not tried."; fi
}

mkdir "$scratch/nginx"
cat >"$scratch/nginx/nginx.conf" <<END
pid $scratch/nginx/pid;
error_log stderr;
events {}
http { access_log off; include $PWD/deploy/nginx.conf; }
END
# Ports below 1024 are root's.
sed 's/listen \(\[::\]:\)\?80;/listen \118080;/' deploy/nginx.conf >"$scratch/nginx/server.conf"
sed -i "s|$PWD/deploy/nginx.conf|$scratch/nginx/server.conf|" "$scratch/nginx/nginx.conf"
tried nginx -t -p "$scratch/nginx" -c "$scratch/nginx/nginx.conf"

tried promtool check rules deploy/alerts.yaml

# What the units name is not on this machine: where it would be stands something that can be run.
for unit in deploy/*.service deploy/*.timer; do
  sed -e 's|^ExecStart=[^ ]*|ExecStart=/bin/true|' -e '/^User=/d' -e '/^WorkingDirectory=/d' "$unit" >"$scratch/$(basename "$unit")"
done
tried systemd-analyze verify "$scratch"/forum.service "$scratch"/forum-backup.service "$scratch"/forum-backup.timer

# The manifests, by the types of Kubernetes itself.
export GOFLAGS=-modcacherw
if command -v go >/dev/null && (cd .ci/kubernetes && go mod download) 2>/dev/null; then
  (cd .ci/kubernetes && go build -o "$scratch/manifests" .)
  find deploy/kubernetes -name '*.yaml' ! -name kustomization.yaml -exec "$scratch/manifests" {} +
else
  echo "There are no types of Kubernetes here, so the manifests were not tried."
fi
if command -v kubectl >/dev/null; then kubectl kustomize deploy/kubernetes >/dev/null; fi

.ci/image.sh

sign() {
  curl -sf -o /dev/null "$address/api/auth/password/$1" -H 'Content-Type: application/json' \
    -d "{\"identifier\": \"$2\", \"token\": \"correct horse battery\"}"
}

start_service "$scratch/data"
sign signup odin
DATA_DIR="$scratch/data" src/operator/forum.js backup "$scratch/backup.tar.zst"
sign signup freya
stop_service
DATA_DIR="$scratch/restored" src/operator/forum.js restore --check "$scratch/backup.tar.zst"
DATA_DIR="$scratch/restored" src/operator/forum.js restore "$scratch/backup.tar.zst"
start_service "$scratch/restored"
sign signin odin
if sign signin freya; then
  echo "The backup holds what was written after it"
  exit 1
fi
stop_service
echo "The files of deploy/ are read by their programs, and a backup was restored"
