#!/bin/sh
# Starts processes that ignore signals and leave its session, its parent and its environment, then does what it is told.
for i in 1 2 3; do
  setsid sh -c 'trap "" INT TERM HUP; exec env -i /bin/sh -c "while :; do sleep 1000; done"' &
done
(setsid sh -c 'setsid sleep 1000 &' &)
sleep 0.5
echo started
[ "$1" = exit ] && exit 3
while :; do sleep 1; done
