#!/bin/sh
# Starts processes that ignore signals and leave its session, its parent and, unless told otherwise, its environment, and
# sleep for a time that it is told. Then it does what it is told.
[ "$2" = keep ] && clear= || clear="env -i"
for i in 1 2 3; do
  setsid sh -c 'trap "" INT TERM HUP; : > "left-$1"; exec '"$clear"' /bin/sh -c "while :; do sleep $2; done"' sh "$i" "$3" &
done
(setsid sh -c 'setsid sleep "$1" & : > left-4' sh "$3" &)
for i in 1 2 3 4; do
  until [ -e "left-$i" ]; do sleep 0.05; done
done
echo started
[ "$1" = exit ] && exit 3
while :; do sleep 1; done
