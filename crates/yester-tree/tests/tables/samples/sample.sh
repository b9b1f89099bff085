#!/bin/bash
# Counts words.
set -eu
limit=10 other="a b"
declare -r names=(one 'two' "three $limit")

count() {
    local file=$1 total=0
    while read -r line; do
        if [[ -n $line && ${#line} -gt 3 ]]; then
            total=$((total + 1))
        elif [ "$line" = end ]; then
            break
        else
            continue
        fi
    done < "$file"
    echo "$total" >&2
}

for name in "${names[@]}" x; do
    case $name in
        one|two) count "$name.txt" || exit 1 ;;
        *) printf '%s\n' "${name:-none}" | sort -u ;;
    esac
done
cat <<END
total: $limit
END
(cd / && ls) && result=$(grep -c x file) ; ! true
export PATH=$HOME/bin:$PATH
