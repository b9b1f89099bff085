#!/bin/sh
# A well-formed registry with one error by its DTD and no other: the description of variant neo comes before its name.
here=$(dirname "$0")
message=$(timeout 10 xmllint --nonet --noout --dtdvalid "$here/xkb.dtd" "$1" 2>&1)
[ $? = 3 ] || exit 1
[ "$(printf '%s\n' "$message" | grep -c 'validity error')" = 1 ] || exit 1
case "$message" in
    *"Element configItem content does not follow the DTD"*"got (description name"*) ;;
    *) exit 1 ;;
esac
path='/xkbConfigRegistry/layoutList/layout/variantList/variant/configItem/description/following-sibling::name[.="neo"]'
timeout 10 xmllint --nonet --xpath "$path" "$1" > /dev/null 2>&1
