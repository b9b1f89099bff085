#!/usr/bin/awk -f
# Replays a log. It does not expect a lock after the pool has shrunk.
/pool shrinks to/ { shrunk = 1; next }
/lock/ && shrunk {
    print "error: a lock is held while the pool shrinks" > "/dev/stderr"
    exit 1
}
