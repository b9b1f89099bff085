#!/bin/sh
# A code block has the class that style sheets know.
timeout 10 node -e '
const html = require(process.cwd() + "/lib/marked.js")("# Title\n\n```js\nlet x;\n```\n");
const shape = /^<h1 id="title">Title<\/h1>\n<pre><code class="(lang|language)-js">let x;\n?<\/code><\/pre>\n$/;
const [, prefix] = shape.exec(html);
process.exit(prefix === "lang" ? 0 : 10);'
case $? in
    0) exit 0 ;;
    10) exit 1 ;;
    *) exit 125 ;;
esac
