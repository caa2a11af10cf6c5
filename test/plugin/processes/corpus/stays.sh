#!/bin/sh
# Ends when it is asked to, with a code of its own.
trap 'exit 7' INT
echo started
while :; do sleep 0.1; done
