#!/bin/sh
# Prints the price of an article.
price=$(sed -n 's/.*"price": \([^,]*\),.*/\1/p' "$1")
case $price in
    '"'*'"') echo "error: the price is a string" >&2; exit 1 ;;
    *'"'*) exit 125 ;; # this is not JSON
    *) echo "$price" ;;
esac
