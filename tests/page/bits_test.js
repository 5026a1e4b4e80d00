/* WebAssembly gives the bits that the native command gives: models with the same seed, statements and
 * verifications of them. DPERM is the command. */
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {execFileSync} = require('child_process');
const {test, before, after} = require('node:test');
const {run} = require('./library.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dperm-bits-'));
const files = {};

before(async () => {
  const {files: made} = await run([], {}, 6000);
  const schema = JSON.parse(made['example.json']);
  const numeric = {...schema, label: {column: 'hours_per_week', type: 'numeric', min: 1, max: 99},
    columns: schema.columns.filter(c => c.name !== 'hours_per_week')};
  const several = {...schema, label: {column: 'dwelling', classes: ['owner', 'tenant', 'other']},
    columns: schema.columns.filter(c => c.name !== 'dwelling')};
  Object.assign(files, {'r.csv': made['example.csv'], 'two.json': made['example.json'],
    'number.json': JSON.stringify(numeric), 'several.json': JSON.stringify(several)});
  for (const [name, content] of Object.entries(files)) {
    fs.writeFileSync(path.join(folder, name), content);
  }
});
after(() => fs.rmSync(folder, {recursive: true}));

function native(args) {
  return execFileSync(process.env.DPERM, args, {cwd: folder, stdio: ['ignore', 'pipe', 'pipe'],
    env: {...process.env, DPERM_LEDGER: ''}});
}

const fits = [
  ['two.json'], ['two.json', '--epsilon', '0.1'], ['two.json', '--evaluate', '0.2', '--calibrate', 'auto'],
  ['two.json', '--intervals', 'auto'], ['two.json', '--refine', 'auto', '--epsilon', '8'],
  ['two.json', '--pairs', '0.3', '--epsilon', '4'], ['two.json', '--neighbours', 'add-remove', '--rows-about', '5000'],
  ['two.json', '--loss', 'huber', '--noise', 'l1'], ['two.json', '--mechanism', 'output', '--bins', 'none'],
  ['two.json', '--delta', '1e-6', '--noise', 'gaussian'],
  ['two.json', '--kernel', 'gaussian', '--gamma', '0.5', '--features', '64'],
  ['number.json'], ['number.json', '--loss', 'quantile', '--quantile', '0.9'], ['several.json'],
  ['several.json', '--mechanism', 'descent', '--delta', '1e-6']];

for (const [schema, ...settings] of fits) {
  test('the bits of a fit: ' + [schema, ...settings].join(' '), async () => {
    const epsilon = settings.includes('--epsilon') ? [] : ['--epsilon', '1'];
    const args = ['train', '--data', 'r.csv', '--schema', schema, '--out', 'm.json', '--seed', '11', ...epsilon,
      ...settings];
    const here = await run(args, files);
    assert.strictEqual(here.code, 0, here.err);
    fs.rmSync(path.join(folder, 'm.json'), {force: true});
    native(args);
    assert.ok(here.files['m.json'].equals(fs.readFileSync(path.join(folder, 'm.json'))));
  });
}

test('a private model verifies in both, and its card says the same', async () => {
  const made = await run(['train', '--data', 'r.csv', '--schema', 'two.json', '--out', 'p.json', '--epsilon', '1'],
    files);
  assert.strictEqual(made.code, 0, made.err);
  const model = made.files['p.json'];
  assert.strictEqual(JSON.parse(model).private, true);
  assert.strictEqual(JSON.parse(model).ledger, null);
  fs.writeFileSync(path.join(folder, 'p.json'), model);
  for (const args of [['verify', '--model', 'p.json'], ['statement', '--model', 'p.json', '--html']]) {
    const here = await run(args, {'p.json': model});
    assert.strictEqual(here.out.trimEnd(), native(args).toString().trimEnd());
  }
});

test('two private fits differ: the noise is from a secure source', async () => {
  const args = ['train', '--data', 'r.csv', '--schema', 'two.json', '--out', 'm.json', '--epsilon', '1'];
  const [a, b] = [await run(args, files), await run(args, files)];
  assert.ok(!a.files['m.json'].equals(b.files['m.json']));
});

test('without a source of randomness nothing is released', async () => {
  const real = globalThis.crypto;
  Object.defineProperty(globalThis, 'crypto', {value: undefined, configurable: true});
  const made = await run(['train', '--data', 'r.csv', '--schema', 'two.json', '--out', 'm.json', '--epsilon', '1'],
    files);
  Object.defineProperty(globalThis, 'crypto', {value: real, configurable: true});
  assert.notStrictEqual(made.code, 0);
  assert.match(made.err, /gives no secure random bits/);
  assert.ok(!made.files['m.json']);
});

test('what sizes of 32 bits cannot hold is refused', async () => {
  const many = {version: 2, label: {column: 'y', positive: ['1'], negative: ['0']},
    columns: [{name: 'c', type: 'categorical', values: Array.from({length: 5000}, (_, i) => 'v' + i)}]};
  const wide = await run(['schema', 'check', 's.json'], {'s.json': JSON.stringify(many)});
  assert.match(wide.err, /5000 encoded columns; group the categories/);
  const classes = {...many, columns: [{name: 'c', type: 'numeric', min: 0, max: 1}],
    label: {column: 'y', classes: Array.from({length: 300}, (_, i) => 'k' + i)}};
  const crowd = await run(['schema', 'check', 's.json'], {'s.json': JSON.stringify(classes)});
  assert.match(crowd.err, /of 2 to 255 classes/);
});

test('a ledger is refused in one line', async () => {
  const made = await run(['train', '--data', 'r.csv', '--schema', 'two.json', '--out', 'm.json', '--epsilon', '1',
    '--ledger', 'l.db', '--dataset', 'd'], files);
  assert.strictEqual(made.code, 1);
  assert.match(made.err, /^dperm: .*has no ledger/);
});
