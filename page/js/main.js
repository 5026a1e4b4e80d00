/* The page's beginning: records, and what every control does. */
const records = {
  file: null,
  get path() {
    return '/records/' + this.file.name;
  },
  async head() {
    const start = this.file.slice(0, 65536);
    const packed = new Uint8Array(await this.file.slice(0, 2).arrayBuffer());
    if (packed[0] !== 0x1f || packed[1] !== 0x8b) {
      return start.text();
    }
    const reader = this.file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
    const {value} = await reader.read();
    reader.cancel();
    return new TextDecoder().decode(value);
  }
};

function take(file) {
  if (!file) {
    return;
  }
  records.file = new File([file], file.name.replace(/[^\w.-]/g, '_') || 'records.csv');
  say('data-say', `${file.name}: ${(file.size / 1e6).toLocaleString('en', {maximumSignificantDigits: 3})} MB`, 'good');
  guessHeader();
  schemaCheck();
}

async function example() {
  say('data-say', 'making records…');
  const answer = await quick.run({example: 20000, wanted: ['example.csv', 'example.json']});
  if (answer.code) {
    say('data-say', answer.error, 'bad');
    return;
  }
  schemaSet(new TextDecoder().decode(answer.made['example.json']), 'example');
  await pause();
  take(new File([answer.made['example.csv']], 'made-up-census.csv'));
}

/* Waits until typing has paused. */
function later(work) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, 250);
  };
}

function on(id, event, work) {
  byId(id).addEventListener(event, work);
}

function listen() {
  const drop = byId('drop');
  for (const event of ['dragover', 'drop', 'dragleave']) {
    document.addEventListener(event, e => {
      e.preventDefault();
      drop.classList.toggle('over', event === 'dragover');
    });
  }
  document.addEventListener('drop', e => take(e.dataTransfer.files[0]));
  on('file', 'change', e => take(e.target.files[0]));
  on('example', 'click', example);
  const withRecords = work => () => records.file ? work()
    : say('schema-say', 'Records come first: choose a file above.', 'bad');
  on('schema-new', 'click', withRecords(schemaFromNames));
  on('schema-file', 'change', async e => {
    const file = e.target.files[0];
    e.target.value = '';
    if (file) {
      await schemaImport(file);
    }
  });
  on('draft-public', 'change', e => { byId('draft').disabled = !e.target.checked; });
  on('draft', 'click', withRecords(schemaDraft));
  on('schema-text', 'input', later(() => schemaSet(byId('schema-text').value, 'text')));
  on('epsilon', 'input', later(() => {
    byId('epsilon-slide').value = Math.log10(Number(byId('epsilon').value) || 1);
    planChanged();
  }));
  const slid = later(planChanged);
  on('epsilon-slide', 'input', () => {
    byId('epsilon').value = Number((10 ** Number(byId('epsilon-slide').value)).toPrecision(2));
    drawCurve();
    slid();
  });
  for (const id of ['evaluate', 'evaluate-share', 'intervals', 'neighbours', 'about']) {
    on(id, 'input', later(planChanged));
  }
  on('train', 'click', train);
  byId('card').parentElement.addEventListener('toggle', () => {
    if (!byId('card').firstChild && training.card) {
      embed('card', training.card);
    }
  });
  on('stop', 'click', () => training.engine.end());
  on('get-model', 'click', () => download('model.json', training.model, 'application/json'));
  on('get-card', 'click', () => download('card.html', training.card, 'text/html'));
  on('get-explanation', 'click', () => download('explanation.html', training.explanation, 'text/html'));
}

listen();
showCommand();
