#!/bin/sh
# Nobody is alerted, whatever the time zone.
TZ=Europe/Moscow timeout 10 node -e '
const alerts = [], later = [];
global.window = global;
global.alert = (text) => alerts.push(text);
global.open = () => {};
global.setTimeout = (action) => later.push(action);
const polyfill = require(process.cwd() + "/src/eventsource.js");
const works = typeof polyfill.EventSourcePolyfill === "function" && polyfill.EventSourcePolyfill.CLOSED === 2;
later.forEach((action) => action());
process.exit(!works ? 125 : alerts.length === 0 ? 0 : 10);'
case $? in
    0) exit 0 ;;
    10) exit 1 ;;
    *) exit 125 ;;
esac
