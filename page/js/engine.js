/* Commands for a worker: `run` answers with what the command said and made. A worker does one thing
 * after the other; `end` stops it in the midst of anything, and the next command gets a new one. */
const byId = id => document.getElementById(id);

class Engine {
  constructor() {
    this.jobs = new Map();
    this.next = 1;
    this.worker = null;
  }

  start() {
    const code = new Blob([byId('worker-code').textContent], {type: 'text/javascript'});
    const address = URL.createObjectURL(code);
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = ({data}) => this.heard(data);
    this.worker.onerror = event => this.failAll('dperm: the worker failed: ' + event.message);
    this.worker.postMessage({library: byId('library').textContent});
  }

  heard(data) {
    const job = this.jobs.get(data.id);
    if (!job) {
      return;
    }
    if (data.stage !== undefined) {
      job.told?.(data.stage, data.done, data.total);
      return;
    }
    this.jobs.delete(data.id);
    job.done({...data, error: data.code ? complaint(data.err) : ''});
  }

  failAll(error) {
    for (const job of this.jobs.values()) {
      job.done({code: 1, out: '', err: [], made: {}, error});
    }
    this.jobs.clear();
  }

  run(work, told) {
    if (!this.worker) {
      this.start();
    }
    const id = this.next++;
    return new Promise(done => {
      this.jobs.set(id, {done, told});
      this.worker.postMessage({id, ...work});
    });
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
    this.failAll('stopped; nothing was released');
  }
}

/* The one line that says what is wrong, without the program's name. */
function complaint(lines) {
  const last = lines.filter(line => line.startsWith('dperm: ')).pop() ?? lines[lines.length - 1];
  return (last ?? 'the work failed').replace(/^dperm: /, '').replace(/; see 'dperm help[^']*'$/, '');
}

function say(id, text, kind = '') {
  const place = byId(id);
  place.textContent = text;
  place.className = 'say ' + kind;
}

const pause = () => new Promise(done => setTimeout(done, 20));

/* An element with attributes, of texts and elements. */
function made(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}
