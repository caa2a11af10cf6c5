#!/bin/sh
# Never ends by itself, whatever it is asked.
trap 'echo asked' INT TERM HUP
echo started
while :; do sleep 1; done
