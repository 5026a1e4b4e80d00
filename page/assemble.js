/* Puts the page together: node assemble.js BUILD VERSION OUT. Scripts are allowed by their digests
 * and as blobs (the worker), connections by nothing. */
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const {createHash} = require('crypto');

const [build, version, out] = process.argv.slice(2);
const here = name => fs.readFileSync(path.join(__dirname, name), 'utf8');
const modules = ['engine', 'plan', 'schema', 'train', 'main'].map(n => here(`js/${n}.js`));
const script = '"use strict";\n' + modules.join('\n');
const digest = createHash('sha256').update(script).digest('base64');
const parts = {
  POLICY: `default-src 'none'; script-src 'sha256-${digest}' blob: 'wasm-unsafe-eval'; worker-src blob:; ` +
    `style-src 'unsafe-inline'; img-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'`,
  STYLE: here('page.css'),
  VERSION: version,
  WORKER: fs.readFileSync(path.join(build, 'dperm.js'), 'utf8') + here('js/worker.js'),
  WASM: zlib.gzipSync(fs.readFileSync(path.join(build, 'dperm.wasm')), {level: 9}).toString('base64'),
  SCRIPT: script
};
for (const part of [parts.WORKER, parts.SCRIPT]) {
  if (/<\/script|<!--/i.test(part)) {
    throw new Error('a script would end too early');
  }
}
fs.writeFileSync(out, here('page.html').replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]));
