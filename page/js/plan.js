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
const counted = x => Math.round(x).toLocaleString('en');
const short = x => x === null ? '–' : x >= 1e5 ? counted(x) : Number(x.toPrecision(3)).toString();

function planOf(epsilon) {
  const rows = adding() ? [] : ['--rows', String(schema.rows)];
  return quick.run({args: ['plan', '--schema', 'schema.json', ...rows, ...settings(epsilon), '--json'],
    texts: {'schema.json': schema.text}});
}

const parts = [['epsilon_row', 'the fit', '#24508c'],
  ['epsilon_refined', 'asking how numbers are best used', '#d55e00'],
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
  const kept = plan.rows_fitted < plan.rows
    ? `; ${counted(plan.rows - plan.rows_fitted)} of ${counted(plan.rows)} records are kept to measure it` : '';
  byId('plan').replaceChildren(
    made('p', {}, 'Noise beside what data can say: ',
      made('span', {class: 'figure'},
        plan.noise_to_signal === null ? '–' : `${short(100 * plan.noise_to_signal)}\u00a0%`)),
    made('p', {}, likely === null ? 'Nothing is known of how far the noise moves this model.'
      : `With probability 95 % the loss on the records is at most ${short(likely)} above the best; knowing nothing ` +
        `costs ${short(coin)}. ` + (use ? 'So the model is of use if the records allow it.'
          : 'So nothing better than guessing is promised: raise epsilon, bring more records, or use fewer columns.')),
    ...divided(plan),
    made('p', {class: 'dim'}, [
      plan.epsilon_better_than_coin === null ? '' : `Better than guessing from epsilon ` +
        `${short(plan.epsilon_better_than_coin)} on`,
      plan.rows_better_than_coin ? `, or from ${counted(plan.rows_better_than_coin)} records on` : '',
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
  const values = points.map(([, v]) => v), width = Math.min(690, byId('curve').clientWidth || 690);
  const top = Math.log10(Math.max(...values) * 1.1), low = Math.log10(Math.min(...values) / 1.1);
  const x = e => 52 + (Math.log10(e) + 1.3) / 2.3 * (width - 70);
  const y = v => 12 + (top - Math.log10(v)) / (top - low) * 116;
  const within = v => Math.log10(v) < top && Math.log10(v) > low;
  const mark = (x1, y1, x2, y2, colour) => `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}"/>`;
  const word = (at, height, anchor, text) => `<text x="${at}" y="${height}" text-anchor="${anchor}">${text}</text>`;
  const ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
    .map(e => mark(x(e), 128, x(e), 133, '#888') + word(x(e), 147, 'middle', e));
  const heights = [0.01, 0.1, 1, 10, 100].filter(within)
    .map(v => mark(52, y(v), width - 18, y(v), '#e3e6eb') + word(46, y(v) + 4, 'end', `${v * 100} %`));
  const epsilon = Number(byId('epsilon').value);
  const here = epsilon >= 0.05 && epsilon <= 10 ? mark(x(epsilon), 8, x(epsilon), 128, '#d55e00') : '';
  const line = points.map(([e, v]) => `${x(e).toFixed(1)},${y(v).toFixed(1)}`).join(' ');
  const said = `Noise beside what data can say, falling with epsilon from ${short(100 * values[0])} to ` +
    `${short(100 * values[values.length - 1])} percent`;
  byId('curve').innerHTML = '<p class="dim">Noise beside what data can say, at each epsilon</p>' +
    `<svg viewBox="0 0 ${width} 168" style="max-width:${width}px" role="img" aria-label="${said}">` +
    `${heights.join('')}${ticks.join('')}${here}` +
    `<polyline points="${line}" fill="none" stroke="#24508c" stroke-width="2.5"/>` +
    word(width / 2, 164, 'middle', 'epsilon') + '</svg>';
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
