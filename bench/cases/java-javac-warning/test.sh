#!/bin/sh
# javac compiles it and warns of a case that is fallen into.
here=$(cd "$(dirname "$0")" && pwd)
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
# A public class must have the name of its file.
cp "$1" "$classes/FontPanel.java"
message=$(timeout 20 javac -J-XX:SharedArchiveFile="$here/javac.jsa" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC \
    -proc:none -implicit:none -Xlint:fallthrough -cp "$here/others.jar" -d "$classes" "$classes/FontPanel.java" 2>&1) || exit 1
case "$message" in
    *"[fallthrough]"*) exit 0 ;;
esac
exit 1
