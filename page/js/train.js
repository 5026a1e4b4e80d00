/* A fit in a worker of its own, which Stop ends at once; then what the model says, its card, and
 * files to keep. */
const training = {running: false, engine: new Engine(), model: '', card: '', explanation: '', took: 0};

const quoted = word => /^[\w.,/=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function showCommand() {
  const epsilon = byId('epsilon').value;
  byId('command').textContent = ['dperm', 'train', '--data', records.file?.name ?? 'records.csv', '--schema',
    'schema.json', '--out', 'model.json', ...settings(epsilon)].map(quoted).join(' ');
}

/* Reading has a public count; solving has none, and shows none. */
function showStage(stage, done, total) {
  const bar = byId('progress');
  if (byId('stage').textContent !== stage + '…') { /* said once */
    byId('stage').textContent = stage + '…';
  }
  if (total > 0) {
    bar.value = done / total;
  } else {
    bar.removeAttribute('value');
  }
}

function setRunning(running) {
  training.running = running;
  byId('train').disabled = running || !schema.valid;
  byId('stop').disabled = !running;
  byId('progress').hidden = !running;
  byId('progress').removeAttribute('value');
  byId('stage').textContent = running ? 'starting…' : '';
}

async function train() {
  const text = schema.text;
  say('train-say', '');
  byId('result').hidden = true;
  if (await isDraftOf(records.file)) {
    say('train-say', 'the schema was drafted from these very records: write down what is public, or draft it from ' +
      'others', 'bad');
    return;
  }
  setRunning(true);
  byId('stop').focus();
  const engine = training.engine, started = performance.now();
  const args = ['train', '--data', records.path, '--schema', 'schema.json', '--out', 'model.json',
    ...settings(byId('epsilon').value)];
  const fit = await engine.run({args, texts: {'schema.json': text}, files: [records.file], wanted: ['model.json']},
    showStage);
  if (fit.code) {
    setRunning(false);
    say('train-say', fit.error, 'bad');
    byId('train').focus();
    return;
  }
  training.took = performance.now() - started;
  training.model = new TextDecoder().decode(fit.made['model.json']);
  byId('stage').textContent = 'writing the card…';
  const texts = {'model.json': training.model};
  const [explained, card, verified] = [
    await engine.run({args: ['explain', '--model', 'model.json', '--html'], texts}),
    await engine.run({args: ['statement', '--model', 'model.json', '--html'], texts}),
    await engine.run({args: ['verify', '--model', 'model.json'], texts})];
  setRunning(false);
  if (explained.code || card.code) {
    say('train-say', explained.error || card.error, 'bad');
    return;
  }
  training.explanation = explained.out;
  training.card = card.out;
  await showModel(fit.err, verified);
}

/* A page of the library inside of this one: its own style, and no script can be in it. */
function embed(id, html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const host = made('div');
  const inside = host.attachShadow({mode: 'open'});
  inside.append(...page.querySelectorAll('style'), ...page.body.childNodes);
  byId(id).replaceChildren(host);
}

function estimate(value, unit) {
  if (!value || value.value === null || value.value === undefined) {
    return null;
  }
  const word = x => x === null || x === undefined ? '?' : unit ? (100 * x).toFixed(1) + '\u00a0%' : x.toFixed(3);
  return [word(value.value), `${word(value.low)} to ${word(value.high)}`];
}

function showQuality(evaluation) {
  if (!evaluation) {
    byId('quality').replaceChildren(made('p', {class: 'dim'},
      'No records were kept to measure the model on, so nothing is known of its errors.'));
    return;
  }
  const lines = [['error', 'error_rate', true],
    ['error of always guessing one class', 'baseline_rate', true], ['AUC', 'auc', false],
    ['precision', 'precision', true], ['recall', 'recall', true], ['log loss', 'log_loss', false],
    ['mean absolute error', 'mean_absolute_error', false], ['R²', 'r2', false]];
  const table = made('table', {class: 'num'}, made('caption', {class: 'unseen'}, 'How well the model predicts'),
    made('tr', {}, made('th', {scope: 'col'}, 'measured in private'), made('th', {scope: 'col'}, 'value'),
      made('th', {scope: 'col'}, '95 % interval')));
  const baseline = evaluation.baseline;
  const figures = {...evaluation, baseline_rate: baseline && {...baseline, value: baseline.error_rate}};
  for (const [name, key, unit] of lines) {
    const shown = estimate(figures[key], unit);
    if (shown) {
      table.append(made('tr', {}, made('td', {}, name), made('td', {}, shown[0]), made('td', {}, shown[1])));
    }
  }
  byId('quality').replaceChildren(made('p', {}, `Measured at epsilon ${short(evaluation.epsilon)} on records that ` +
    'the fit was not shown; a record is in one part, so the run costs no more.'), table);
}

/* A piece at a time, so that the page answers in between. */
async function showModel(lines, verified) {
  const notes = lines.map(line => line.replace(/^model\.json: /, '').replace(/; see 'dperm help ledger'$/, '')
    .replace(/ \(--.*\)$/, ''));
  byId('notes').replaceChildren(...notes.map(line => made('li', {}, line)));
  byId('verified').textContent = verified.code
    ? 'The claim could not be derived again from the file: do not rely on it. ' + verified.error
    : 'The claim was derived again from the file alone, with independent arithmetic: every step holds. ' +
      'dperm verify --model model.json repeats it.';
  showQuality(JSON.parse(training.model).evaluation);
  byId('card').replaceChildren();
  byId('card').parentElement.open = false;
  byId('explanation').replaceChildren();
  byId('result').hidden = false;
  byId('result').focus();
  await pause();
  embed('explanation', training.explanation);
}

function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = made('a', {href: address, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
