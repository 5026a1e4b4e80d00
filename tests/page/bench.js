/* make page-bench CSV=FILE SCHEMA=FILE: from a file to a model in the page and by the native command
 * (DPERM), medians of RUNS, and the longest tasks of the page's main thread on the way, by the clock
 * and by the processor's time, of which the clock's also counts what other programs took. */
const {execFileSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {Browser} = require('./browser.js');

const [csv, schema] = process.argv.slice(2);
const runs = Number(process.env.RUNS || 5);
const page = path.join(__dirname, '../../build/page/dperm.html');
const median = list => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

function native() {
  const out = path.join(os.tmpdir(), `dperm-bench-${process.pid}.json`);
  const started = process.hrtime.bigint();
  execFileSync(process.env.DPERM, ['train', '--data', csv, '--schema', schema, '--out', out, '--epsilon', '1',
    '--evaluate', '0.2', '--ledger', 'none', '--force'], {stdio: 'ignore'});
  const took = Number(process.hrtime.bigint() - started) / 1e6;
  fs.unlinkSync(out);
  return took;
}

/* The tasks that the trace has of the page's main thread: of the renderer that did the most. */
function mainTasks(events) {
  const tasks = events.filter(e => e.name === 'thread_name' && e.args.name === 'CrRendererMain')
    .map(of => events.filter(e => e.name === 'ThreadControllerImpl::RunTask' && e.pid === of.pid && e.tid === of.tid));
  const work = list => list.reduce((sum, e) => sum + (e.tdur ?? 0), 0);
  return tasks.sort((a, b) => work(b) - work(a))[0];
}

const longest = (tasks, key) => (Math.max(...tasks.map(e => e[key] ?? 0)) / 1000).toFixed(0);

(async () => {
  const browser = new Browser();
  try {
    await browser.open(page);
    await browser.startTrace();
    await browser.choose('schema-file', schema);
    await browser.choose('file', csv);
    await browser.until('!document.getElementById("train").disabled');
    const took = [], alone = [];
    for (let i = 0; i < runs; i++) {
      await browser.click('train');
      await browser.until('!document.getElementById("stop").disabled');
      await browser.until('!document.getElementById("result").hidden');
      took.push(await browser.eval('training.took'));
      alone.push(native());
    }
    const tasks = mainTasks(await browser.endTrace());
    const size = require('zlib').gzipSync(fs.readFileSync(page), {level: 9}).length;
    console.log(`page     ${median(took).toFixed(0)} ms from file to model\nnative   ${median(alone).toFixed(0)} ms\n` +
      `ratio    ${(median(took) / median(alone)).toFixed(1)}\nlongest task of the main thread ` +
      `${longest(tasks, 'dur')} ms, ${longest(tasks, 'tdur')} ms of the processor\nsize     ${size} bytes after gzip`);
  } finally {
    await browser.close();
  }
})().catch(failure => {
  console.error(String(failure));
  process.exitCode = 1;
});
