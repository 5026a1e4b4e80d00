/* The schema: its text is what counts; the table of columns is a view of it that can be typed into.
 * Every change is checked by the library, with the records if there are any. */
const schema = {text: '', valid: false, rows: 0, version: 0, draftedFrom: null};
const quick = new Engine();

const listed = values => (values ?? []).join(', ');
const values = text => text.split(',').map(v => v.trim()).filter(v => v !== '');

function field(label, value, change, type = 'text') {
  const input = made('input', {type, 'aria-label': label, value: value ?? '', autocomplete: 'off'});
  if (type === 'number') {
    input.step = 'any';
  }
  input.addEventListener('change', () => change(input.value));
  return input;
}

function set(target, key, text) {
  if (text === '') {
    delete target[key];
  } else {
    target[key] = Number(text);
  }
}

/* What is known in public of a column, to be typed. */
function known(json, column) {
  const label = json.label ?? {};
  const name = column.name;
  if (column.type === 'numeric') {
    return ['from ', field(name + ', least', column.min, v => set(column, 'min', v), 'number'), ' to ',
      field(name + ', most', column.max, v => set(column, 'max', v), 'number')];
  }
  if (column.type === 'categorical') {
    return column.groups ? ['groups, in the text below']
      : [field(name + ', its values, with commas', listed(column.values), v => { column.values = values(v); })];
  }
  if (column.type === 'label' && label.type === 'numeric') {
    return ['a number from ', field('label, least', label.min, v => set(label, 'min', v), 'number'), ' to ',
      field('label, most', label.max, v => set(label, 'max', v), 'number')];
  }
  if (column.type === 'label') {
    return label.classes ? ['classes: ' + listed(Array.isArray(label.classes) ? label.classes
      : Object.keys(label.classes))]
      : ['yes: ', field('label, values of the positive class', listed(label.positive),
        v => { label.positive = values(v); }), ' no: ',
      field('label, values of the negative class', listed(label.negative), v => { label.negative = values(v); })];
  }
  return [];
}

function becomes(json, column, type) {
  for (const key of Object.keys(column)) {
    if (key !== 'name') {
      delete column[key];
    }
  }
  column.type = type;
  if (type === 'categorical') {
    column.values = [];
  }
  if (type === 'label') {
    for (const other of json.columns) {
      if (other !== column && other.type === 'label') {
        other.type = 'ignore';
      }
    }
    json.label = {column: column.name, positive: [], negative: []};
  }
}

function row(json, column) {
  const kinds = {numeric: 'number', categorical: 'category', label: 'label', ignore: 'not used'};
  if (!(column.type in kinds)) {
    kinds[column.type] = column.type;
  }
  const kind = made('select', {'aria-label': column.name + ' is a'});
  for (const [value, word] of Object.entries(kinds)) {
    kind.append(new Option(word, value, false, value === column.type));
  }
  const third = made('td', {}, ...known(json, column));
  kind.addEventListener('change', () => {
    becomes(json, column, kind.value);
    schemaSet(JSON.stringify(json, null, 1), 'kind');
    byId('columns').querySelector(`[data-name="${CSS.escape(column.name)}"] select`)?.focus();
  });
  third.addEventListener('change', () => schemaSet(JSON.stringify(json, null, 1), 'typed'));
  return made('tr', {'data-name': column.name}, made('th', {scope: 'row'}, String(column.name)),
    made('td', {}, kind), third);
}

function showColumns() {
  const table = byId('columns');
  let json = null;
  try {
    json = JSON.parse(schema.text);
  } catch (failure) { /* the check says where */ }
  const fine = Array.isArray(json?.columns) && json.columns.length <= 300;
  table.hidden = !fine;
  const rows = fine ? json.columns.map(column => row(json, column)) : [];
  if (fine && json.label?.column && !json.columns.some(column => column.type === 'label')) {
    const label = row(json, {name: json.label.column, type: 'label'});
    label.querySelector('select').disabled = true; /* it is not in the list of columns */
    rows.unshift(label);
  }
  table.tBodies[0].replaceChildren(...rows);
}

/* A new text: from the text itself or from the table, whose fields stay where they are while they are
 * typed into; or another schema, from anywhere else. */
function schemaSet(text, from) {
  schema.text = text;
  schema.draftedFrom = ['text', 'kind', 'typed'].includes(from) ? schema.draftedFrom : null;
  if (from !== 'text') {
    byId('schema-text').value = text;
  }
  if (from !== 'typed') {
    showColumns();
  }
  schemaCheck();
}

function showRemarks(remarks) {
  byId('remarks-box').hidden = !remarks.length;
  byId('remarks-box').querySelector('summary').textContent =
    remarks.length === 1 ? 'One remark' : remarks.length + ' remarks';
  byId('remarks').replaceChildren(...remarks.map(r => made('li', {}, r)));
}

/* The newest check wins: the schema alone first, which is quick, then with the records. */
async function schemaCheck() {
  const version = ++schema.version;
  const texts = {'schema.json': schema.text};
  schema.valid = false;
  schema.rows = 0;
  planChanged();
  if (!schema.text.trim()) {
    return;
  }
  const alone = await quick.run({args: ['schema', 'check', 'schema.json', '--json'], texts});
  if (version !== schema.version) {
    return;
  }
  showRemarks(alone.code ? [] : JSON.parse(alone.out).remarks);
  if (alone.code || !records.file) {
    say('schema-say', alone.error || 'A valid schema; records are still to come.', alone.code ? 'bad' : 'good');
    return;
  }
  say('schema-say', 'A valid schema; reading the records…');
  const both = await quick.run({args: ['schema', 'check', 'schema.json', '--data', records.path, '--json'],
    texts, files: [records.file]});
  if (version !== schema.version) {
    return;
  }
  schema.valid = !both.code;
  schema.rows = both.code ? 0 : JSON.parse(both.out).rows;
  say('schema-say', both.error || `${schema.rows.toLocaleString('en')} records fit the schema.`,
    both.code ? 'bad' : 'good');
  planChanged();
}

/* ---- where a schema comes from */

/* The fields of the file's first line, which may be quoted, and what is between them. */
async function firstLine() {
  const line = (await records.head()).split(/\r?\n/)[0];
  const separator = ['\t', ';', ','].find(s => line.includes(s)) ?? ',';
  const field = new RegExp(`("(?:[^"]|"")*"|[^${separator}]*)(${separator}|$)`, 'g');
  const fields = [];
  for (const [, text, end] of line.matchAll(field)) {
    fields.push(text.trim().replace(/^"(.*)"$/, '$1').replaceAll('""', '"'));
    if (!end) {
      break;
    }
  }
  return {separator, fields};
}

/* A line that names columns has no number in it, and nothing twice: a record must not end up as the
 * names of a public schema. A person has the last word. */
async function guessHeader() {
  const {fields} = await firstLine();
  byId('header').checked = new Set(fields).size === fields.length && fields.every(f => f && isNaN(Number(f)));
}

/* Names alone: types and ranges are for a person to say. */
async function schemaFromNames() {
  const {separator, fields} = await firstLine();
  const header = byId('header').checked;
  const names = header ? fields : fields.map((_, i) => 'column' + (i + 1));
  const last = names[names.length - 1];
  const json = {version: 2, header, on_missing: 'zero', intercept: true,
    label: {column: last, positive: [], negative: []},
    columns: names.map((name, i) => ({name, type: i + 1 < names.length ? 'ignore' : 'label'}))};
  if (separator !== ',') {
    json.separator = separator;
  }
  schemaSet(JSON.stringify(json, null, 1), 'names');
}

async function schemaImport(file) {
  const text = await file.text();
  let json = {};
  try {
    json = JSON.parse(text);
  } catch (failure) { /* the library says what is wrong with it */ }
  if (!('fields' in json) && !('resources' in json) && !('tableSchema' in json) && !('tables' in json) &&
      !json.schema?.fields) {
    schemaSet(text, 'imported');
    return;
  }
  const label = byId('dictionary-label').value.trim();
  if (!label) {
    say('schema-say', 'This is a data dictionary: name its label beside the button, and import it again.', 'bad');
    byId('dictionary-label').focus();
    return;
  }
  const answer = await quick.run({args: ['schema', 'import', 'dictionary.json', '--label', label],
    texts: {'dictionary.json': text}});
  if (answer.code) {
    say('schema-say', answer.error, 'bad');
  } else {
    schemaSet(answer.out, 'imported');
  }
}

/* The command asks for public records by the name of its option, the page by a box to tick; a card
 * repeats the sources of columns, and no model is made of the very records (isDraftOf). */
async function schemaDraft() {
  const from = records.file;
  const answer = await quick.run({args: ['schema', 'draft', '--public-data', records.path], files: [records.file]});
  if (answer.code) {
    say('schema-say', answer.error, 'bad');
    return;
  }
  const json = JSON.parse(answer.out);
  for (const column of json.columns) {
    if (column.type === 'numeric' || column.type === 'categorical') {
      column.source = 'drafted in a page from records that were declared public';
    }
  }
  schemaSet(JSON.stringify(json, null, 1), 'drafted');
  schema.draftedFrom = from;
}

/* Whether the schema was drafted from these records, byte for byte: as in Python, what it says was
 * then seen in them, so a model of them would not be private. */
async function isDraftOf(file) {
  const other = schema.draftedFrom, step = 1 << 20;
  let same = other?.size === file.size;
  for (let at = 0; same && at < file.size; at += step) {
    const [a, b] = await Promise.all([file, other].map(f => f.slice(at, at + step).arrayBuffer()));
    const words = [a, b].map(bytes => new Uint8Array(bytes));
    same = words[0].every((byte, i) => byte === words[1][i]);
  }
  return same;
}
