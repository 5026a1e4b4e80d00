/* What epsilon buys, from public numbers alone: the plan follows every change of a setting; the curve
 * over epsilon is drawn anew when records, schema or the kind of run change. */
const planned = {version: 0, curveOf: '', points: []};

/* The settings as the command's arguments; without epsilon for the curve. */
function settings(epsilon) {
  const args = epsilon ? ['--epsilon', String(epsilon)] : [];
  if (byId('evaluate').checked) {
    args.push('--evaluate', String(Number(byId('evaluate-share').value) / 100));
  }
  if (byId('intervals').checked) {
    args.push('--intervals', 'auto');
  }
  if (byId('neighbours').value === 'add-remove') {
    args.push('--neighbours', 'add-remove', '--rows-about', byId('about').value || '0');
  }
  return args;
}

const adding = () => byId('neighbours').value === 'add-remove';
const short = x => x === null ? '–' : x >= 1e5 ? Math.round(x).toLocaleString('en') : Number(x.toPrecision(3)).toString();

function planOf(epsilon) {
  const rows = adding() ? [] : ['--rows', String(schema.rows)];
  return quick.run({args: ['plan', '--schema', 'schema.json', ...rows, ...settings(epsilon), '--json'],
    texts: {'schema.json': schema.text}});
}

const parts = [['epsilon_row', 'the fit', '#24508c'], ['epsilon_refined', 'asking how numbers are best used', '#d55e00'],
  ['epsilon_pairs', 'pairs of columns', '#6b9f3a'], ['epsilon_intervals', 'intervals', '#8a5aa8'],
  ['epsilon_calibrated', 'calibration', '#b8860b']];

/* Whose parts of epsilon, as a bar with words under it. */
function divided(plan) {
  const there = parts.filter(([key]) => plan[key] > 0);
  const bar = made('div', {class: 'bar', 'aria-hidden': 'true'});
  const words = made('p', {class: 'dim'}, 'Epsilon goes to: ');
  for (const [key, name, colour] of there) {
    const piece = made('i');
    piece.style.flexGrow = String(plan[key]);
    piece.style.background = colour;
    bar.append(piece);
    const dot = made('span', {class: 'key'});
    dot.style.background = colour;
    words.append(dot, `${name} ${short(plan[key])}`);
  }
  return [bar, words];
}

function showPlan(plan) {
  const likely = plan.excess_loss_q95, coin = plan.coin_loss;
  const use = likely !== null && likely < coin;
  const kept = plan.rows_fitted < plan.rows ? `; ${(plan.rows - plan.rows_fitted).toLocaleString('en')} of ` +
    `${plan.rows.toLocaleString('en')} records are kept to measure it` : '';
  byId('plan').replaceChildren(
    made('p', {}, 'Noise beside what data can say: ',
      made('span', {class: 'figure'}, plan.noise_to_signal === null ? '–' : `${short(100 * plan.noise_to_signal)} %`)),
    made('p', {}, likely === null ? 'Nothing is known of how far the noise moves this model.'
      : `With probability 95 % the loss on the records is at most ${short(likely)} above the best; knowing nothing ` +
        `costs ${short(coin)}. ` + (use ? 'So the model is of use if the records allow it.'
          : 'So nothing better than guessing is promised: raise epsilon, bring more records, or use fewer columns.')),
    ...divided(plan),
    made('p', {class: 'dim'}, [
      plan.epsilon_better_than_coin === null ? '' : `Better than guessing from epsilon ` +
        `${short(plan.epsilon_better_than_coin)} on`,
      plan.rows_better_than_coin ? `, or from ${plan.rows_better_than_coin.toLocaleString('en')} records on` : '',
      kept, '.'].join('').replace(/^[;,] /, '')));
}

/* ---- the curve: noise beside signal against epsilon, both logarithmic */

const curveAt = Array.from({length: 12}, (_, i) => Number((10 ** (-1.3 + i * 2.3 / 11)).toPrecision(3)));

function drawCurve() {
  const {points} = planned;
  if (points.length < 2) {
    byId('curve').replaceChildren();
    return;
  }
  const epsilon = Number(byId('epsilon').value);
  const x = e => 52 + (Math.log10(e) + 1.3) / 2.3 * 620;
  const top = Math.log10(Math.max(...points.map(p => p[1])) * 1.1), low = Math.log10(Math.min(...points.map(p => p[1])) / 1.1);
  const y = v => 12 + (top - Math.log10(v)) / (top - low) * 116;
  const line = points.map(([e, v]) => `${x(e).toFixed(1)},${y(v).toFixed(1)}`).join(' ');
  const ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10].map(e => `<line x1="${x(e)}" x2="${x(e)}" y1="128" y2="133" ` +
    `stroke="#888"/><text x="${x(e)}" y="147" text-anchor="middle">${e}</text>`).join('');
  const heights = [0.01, 0.1, 1, 10, 100].filter(v => Math.log10(v) < top && Math.log10(v) > low)
    .map(v => `<line x1="52" x2="672" y1="${y(v)}" y2="${y(v)}" stroke="#e3e6eb"/>` +
      `<text x="46" y="${y(v) + 4}" text-anchor="end">${v * 100} %</text>`).join('');
  const here = epsilon >= 0.05 && epsilon <= 10
    ? `<line x1="${x(epsilon)}" x2="${x(epsilon)}" y1="8" y2="128" stroke="#d55e00" stroke-width="2"/>` : '';
  byId('curve').innerHTML = `<p class="dim">Noise beside what data can say, at each epsilon</p><svg viewBox="0 0 690 168" role="img" aria-label="Noise beside what data can say, falling ` +
    `with epsilon from ${short(100 * points[0][1])} to ${short(100 * points[points.length - 1][1])} percent">${heights}` +
    `${ticks}${here}<polyline points="${line}" fill="none" stroke="#24508c" stroke-width="2.5"/>` +
    `<text x="362" y="164" text-anchor="middle">epsilon</text></svg>`;
}

async function makeCurve(version) {
  const kind = JSON.stringify([schema.text, schema.rows, settings(0)]);
  if (kind === planned.curveOf) {
    drawCurve();
    return;
  }
  planned.points = [];
  for (const epsilon of curveAt) {
    const answer = await planOf(epsilon);
    if (version !== planned.version) {
      return;
    }
    if (!answer.code) {
      const value = JSON.parse(answer.out).noise_to_signal;
      if (value > 0) {
        planned.points.push([epsilon, value]);
      }
    }
  }
  planned.curveOf = kind;
  drawCurve();
}

async function planChanged() {
  const version = ++planned.version;
  const epsilon = Number(byId('epsilon').value);
  byId('about-box').hidden = !adding();
  byId('train').disabled = true;
  drawCurve();
  showCommand();
  if (!schema.valid) {
    return;
  }
  if (!(epsilon > 0)) {
    byId('plan').replaceChildren(made('p', {class: 'warn'}, 'Epsilon must be a number above 0.'));
    return;
  }
  const answer = await planOf(epsilon);
  if (version !== planned.version) {
    return;
  }
  if (answer.code) {
    byId('plan').replaceChildren(made('p', {class: 'warn'}, answer.error));
    return;
  }
  showPlan(JSON.parse(answer.out));
  byId('train').disabled = training.running;
  makeCurve(version);
}
