/* The page in a real headless Chromium, from disk: records dropped, plans, fits, stops, bad input,
 * downloads, and that nothing is requested of anybody. DPERM is the native command, which verifies
 * what was downloaded. */
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {execFileSync} = require('child_process');
const {test, before, after} = require('node:test');
const {Browser} = require('./browser.js');
const {run} = require('./library.js');

const page = path.join(__dirname, '../../build/page/dperm.html');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dperm-page-files-'));
const file = name => path.join(folder, name);
let browser;

before(async () => {
  const {files} = await run([], {}, 30000);
  fs.writeFileSync(file('census.csv'), files['example.csv']);
  fs.writeFileSync(file('census.json'), files['example.json']);
  const lines = files['example.csv'].toString().split('\n');
  fs.writeFileSync(file('broken.csv'), [...lines.slice(0, 100), 'one,field,too,few', ...lines.slice(100)].join('\n'));
  fs.writeFileSync(file('small.csv'), lines.slice(0, 2000).join('\n') + '\n');
  browser = new Browser();
  await browser.open(page);
});
after(async () => {
  await browser.close();
  fs.rmSync(folder, {recursive: true});
});

const says = (id, words) =>
  browser.until(`document.getElementById('${id}').textContent.includes(${JSON.stringify(words)})`);
const ready = () => browser.until('!document.getElementById("train").disabled');

test('a file is dropped, a schema imported, and the records fit it', async () => {
  await browser.drop('drop', file('census.csv'));
  await says('data-say', 'census.csv: ');
  await browser.choose('schema-file', file('census.json'));
  await says('schema-say', '30,000 records fit the schema.');
});

test('the plan moves with epsilon, and the curve is drawn', async () => {
  await ready();
  const noise = async () => parseFloat(await browser.eval('document.querySelector("#plan .figure").textContent'));
  const at1 = await noise();
  await browser.set('epsilon', '0.1');
  await browser.until(`parseFloat(document.querySelector("#plan .figure").textContent) !== ${at1}`);
  assert.ok(await noise() > 5 * at1);
  await browser.set('epsilon', '-1');
  await says('plan', 'Epsilon must be a number above 0.');
  await browser.set('epsilon', '1');
  await says('plan', String(at1));
  await browser.until('document.querySelector("#curve polyline")');
});

test('what is wrong with a schema or with records is one line', async () => {
  const good = fs.readFileSync(file('census.json'), 'utf8');
  await browser.set('schema-text', good.replace('"numeric"', '"numerical"'));
  await says('schema-say', 'schema.json:');
  const wrong = await browser.text('schema-say');
  assert.match(wrong, /numerical|type/);
  assert.ok(!wrong.includes('\n') && wrong.length < 300);
  assert.strictEqual(await browser.eval('document.getElementById("train").disabled'), true);
  await browser.set('schema-text', good);
  await ready();
  await browser.choose('file', file('broken.csv'));
  await says('schema-say', 'broken.csv:101');
  const bad = await browser.text('schema-say');
  assert.ok(!bad.includes('too,few') && !bad.includes('\n'), bad); /* no record is quoted */
  await browser.choose('file', file('census.csv'));
  await ready();
});

test('a run is stopped in its midst, and leaves nothing', async () => {
  /* at the first word of the worker's, so whatever the clock says */
  await browser.eval(`new Promise(done => {
    const engine = training.engine, heard = engine.heard;
    engine.heard = data => {
      engine.heard = heard;
      document.getElementById('stop').click();
      done(data.stage);
    };
    document.getElementById('train').click();
  })`).then(stage => assert.ok(stage));
  await says('train-say', 'stopped; nothing was released');
  assert.strictEqual(await browser.eval('document.getElementById("result").hidden'), true);
});

test('a fit gives a model that verifies, a card and an explanation', async () => {
  await browser.click('train');
  await browser.until('!document.getElementById("result").hidden');
  await says('notes', 'no ledger: nothing counts this epsilon against a budget');
  await says('verified', 'every step holds');
  await says('quality', 'AUC');
  await says('quality', 'guessing one class');
  await browser.until('document.querySelector("#explanation div")?.shadowRoot.querySelectorAll("svg").length > 5');
  await browser.eval('document.getElementById("card-box").open = true');
  await browser.until('document.querySelector("#card div")');
  for (const id of ['get-model', 'get-card', 'get-explanation']) {
    await browser.click(id);
  }
  const model = await browser.downloaded('model.json');
  const said = execFileSync(process.env.DPERM, ['verify', '--model', model]).toString();
  assert.match(said, /claim/);
  const json = JSON.parse(fs.readFileSync(model));
  assert.strictEqual(json.private, true);
  assert.strictEqual(json.ledger, null); /* the model says that nothing counted it */
  assert.ok(json.evaluation.finding);
  const card = fs.readFileSync(await browser.downloaded('card.html'), 'utf8');
  assert.match(card, /No ledger was charged/);
  assert.match(fs.readFileSync(await browser.downloaded('explanation.html'), 'utf8'), /What the model says/);
});

test('a schema is written from column names, in the table', async () => {
  await browser.choose('file', file('small.csv'));
  await browser.click('schema-new');
  await browser.until('document.querySelectorAll("#columns tbody tr").length === 13');
  const pick = (name, kind) => browser.eval(`{const s = document.querySelector('[data-name="${name}"] select');` +
    `s.value = '${kind}'; s.dispatchEvent(new Event('change', {bubbles: true}))}`);
  const type = (label, value) => browser.eval(`{const i = document.querySelector('[aria-label="${label}"]');` +
    `i.value = '${value}'; i.dispatchEvent(new Event('change', {bubbles: true}))}`);
  await says('schema-say', '"positive" must be');
  await pick('age', 'numeric');
  await browser.eval('document.querySelector(\'[aria-label="age, least"]\').focus()'); /* by keys alone */
  await browser.send('Input.insertText', {text: '16'});
  await browser.press('Tab', 9);
  assert.strictEqual(await browser.eval('document.activeElement.getAttribute("aria-label")'), 'age, most');
  await browser.send('Input.insertText', {text: '90'});
  await browser.press('Tab', 9);
  await browser.until('JSON.parse(schema.text).columns[0].max === 90');
  await pick('sex', 'categorical');
  await type('sex, its values, with commas', 'female, male');
  await type('label, values of the positive class', 'high');
  await type('label, values of the negative class', 'low');
  await says('schema-say', 'records fit the schema.');
});

test('a record is not taken for the names of columns', async () => {
  const lines = fs.readFileSync(file('small.csv'), 'utf8').split('\n');
  fs.writeFileSync(file('bare.csv'), lines.slice(1).join('\n'));
  await browser.choose('file', file('bare.csv'));
  await browser.until('!document.getElementById("header").checked');
  await browser.click('schema-new');
  await browser.until('schema.text.includes("column13")');
  const names = await browser.eval('JSON.parse(schema.text).columns.map(c => c.name).join()');
  assert.match(names, /^column1,(column\d+,)+column13$/);
  assert.strictEqual(await browser.eval('JSON.parse(schema.text).header'), false);
  await browser.choose('file', file('small.csv'));
  await browser.until('document.getElementById("header").checked');
});

test('a draft needs a word that the records are public, and says where its ranges are from', async () => {
  assert.strictEqual(await browser.eval('document.getElementById("draft").disabled'), true);
  await browser.click('draft-public');
  await browser.click('draft');
  await browser.until('document.getElementById("schema-text").value.includes("declared public")');
  await says('schema-say', 'records fit the schema.');
  await browser.set('epsilon', '2');
  await ready();
  await browser.click('train');
  await says('train-say', 'drafted from these very records');
  await browser.choose('file', file('census.csv'));
  await says('schema-say', '30,000 records fit the schema.');
  await ready();
  await browser.click('train');
  await browser.until('!document.getElementById("result").hidden');
  await browser.eval('document.getElementById("card-box").open = true');
  await browser.until('document.querySelector("#card div")');
  assert.match(await browser.eval('document.querySelector("#card div").shadowRoot.textContent'), /declared public/);
});

test('every control has a name, and focus reaches them in order', async () => {
  const {nodes} = await browser.send('Accessibility.getFullAXTree');
  const controls = nodes.filter(n => !n.ignored &&
    ['button', 'textbox', 'checkbox', 'combobox', 'slider', 'spinbutton', 'progressbar'].includes(n.role?.value));
  assert.ok(controls.length > 12);
  for (const control of controls) {
    assert.ok(control.name?.value, JSON.stringify(control).slice(0, 300));
  }
  await browser.eval('document.activeElement.blur(); scrollTo(0, 0)');
  const seen = [];
  for (let i = 0; i < 5; i++) {
    await browser.press('Tab', 9);
    seen.push(await browser.eval('document.activeElement.id'));
  }
  assert.ok(seen.indexOf('example') >= 0 || seen.indexOf('get-model') >= 0, seen.join());
});

test('nothing was requested of anybody, and nothing can be', async () => {
  const elsewhere = browser.requests.filter(url => !url.startsWith('blob:') && !url.startsWith('data:'));
  assert.deepStrictEqual(elsewhere, ['file://' + path.resolve(page)]);
  assert.deepStrictEqual(browser.console, []);
  const refused = await browser.eval(`Promise.all([
    fetch('https://example.org/').then(() => 'sent', () => 'refused'),
    new Promise(done => { const i = new Image(); i.onload = () => done('sent'); i.onerror = () => done('refused');
      i.src = 'https://example.org/x.png'; }),
    new Promise(done => { try { const s = new WebSocket('wss://example.org/');
      s.onopen = () => done('sent'); s.onerror = () => done('refused'); } catch (e) { done('refused'); } })])`);
  assert.deepStrictEqual(refused, ['refused', 'refused', 'refused']);
  const violations = browser.console.filter(line => line.includes('Content Security Policy'));
  assert.ok(violations.length >= 3, browser.console.join('\n'));
});
