#!/bin/sh
# Starts processes that ignore signals and leave its session, its parent and, unless told otherwise, its environment.
# Then it does what it is told.
[ "$2" = keep ] && clear= || clear="env -i"
for i in 1 2 3; do
  setsid sh -c 'trap "" INT TERM HUP; exec '"$clear"' /bin/sh -c "while :; do sleep 1000; done"' &
done
(setsid sh -c 'setsid sleep 1000 &' &)
sleep 0.5
echo started
[ "$1" = exit ] && exit 3
while :; do sleep 1; done
