/* The page's library under node: a command in an instance of its own, as the page's worker runs it. */
const fs = require('fs');
const path = require('path');

const build = path.join(__dirname, '../../build/page/wasm');
const make = require(path.join(build, 'dperm.js'));
const wasmBinary = fs.readFileSync(path.join(build, 'dperm.wasm'));

/* {code, out, err, files}: `files` are those that were there and that the command made. */
async function run(args, files = {}, example = 0) {
  const out = [], err = [];
  const m = await make({wasmBinary, quit: (status, signal) => { throw signal; }, print: l => out.push(l),
    printErr: l => err.push(l)});
  for (const [name, content] of Object.entries(files)) {
    m.FS.writeFile('/' + name, content);
  }
  const code = example ? m._page_example(example) : m.callMain(args);
  const all = {};
  for (const name of m.FS.readdir('/')) {
    if (m.FS.isFile(m.FS.stat('/' + name).mode)) {
      all[name] = Buffer.from(m.FS.readFile('/' + name));
    }
  }
  return {code, out: out.join('\n'), err: err.join('\n'), files: all};
}

module.exports = {run};
