"""Prints what the stock of each article is worth."""
import json
import sys

article = json.load(open(sys.argv[1]))
print(article["name"], round(article["price"], 2) * article["stock"])
