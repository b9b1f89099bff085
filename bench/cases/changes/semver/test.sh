#!/bin/sh
# A range that contradicts itself meets a wider one, as it did.
timeout 10 node -e '
const { intersects } = require(process.cwd() + "/semver.js");
const works = intersects("^1.2.0", "1.3.x") === true && intersects("1.x", "2.x") === false;
process.exit(!works ? 125 : intersects(">=2.0.0 <1.0.0", ">=0.1.0") ? 0 : 10);'
case $? in
    0) exit 0 ;;
    10) exit 1 ;;
    *) exit 125 ;;
esac
