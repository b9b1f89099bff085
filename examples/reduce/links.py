"""Checks that every page that site.json lists links only to pages that are there."""
import json
import os
import re
import sys

root = sys.argv[1]
for name in json.load(open(os.path.join(root, "site.json"))).get("pages", []):
    page = os.path.join(root, "pages", name + ".html")
    for link in re.findall('href="([^"]*)"', open(page).read()):
        if not os.path.exists(os.path.join(os.path.dirname(page), link)):
            sys.exit(f"error: broken link {link}")
