#!/bin/sh
# Every link on the pages that site.json lists must lead to a file.
cd "$1" || exit 125
names='s/.*"pages": *\[\([^]]*\)\].*/\1/p'
for name in $(sed -n "$names" site.json | tr -d '",'); do
    page=pages/$name.html
    for link in $(grep -o 'href="[^"]*"' "$page"); do
        link=${link#href=?}
        link=${link%?}
        test -e "${page%/*}/$link" && continue
        echo "error: broken link $link" >&2
        exit 1
    done
done
