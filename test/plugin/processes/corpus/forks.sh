#!/bin/sh
# A fork bomb. What was started first stays, for a time that it is told, so that nothing ends by itself.
bomb() { while :; do bomb & bomb & done; }
if [ "$2" = bomb ]; then
  bomb 2>/dev/null
else
  echo started
  ./forks.sh "$1" bomb &
  exec sleep "$1"
fi
