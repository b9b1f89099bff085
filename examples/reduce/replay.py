"""Reads a log and says how many connections were left. It does not expect a pool that shrinks while a lock is held."""
import sys

connections, shrunk = 8, False
for line in open(sys.argv[1]):
    if "pool shrinks to" in line:
        connections = int(line.split("pool shrinks to")[1].split()[0])
        shrunk = True
    if "lock" in line and shrunk:
        raise RuntimeError("a lock is held while the pool shrinks")
print(connections)
