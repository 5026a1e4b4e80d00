/* Headless Chromium by its DevTools protocol, over a pipe: no driver, no port, no package. A page is
 * opened with every request that it or its workers make written down. */
const {spawn} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions',
  '--disable-dev-shm-usage', '--remote-debugging-pipe'];

class Browser {
  constructor() {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dperm-page-'));
    this.process = spawn(process.env.CHROMIUM || 'chromium', [...flags, '--user-data-dir=' + this.folder + '/profile'],
      {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.waiting = new Map();
    this.next = 1;
    this.requests = [];
    this.console = [];
    this.rest = '';
    this.process.stdio[4].on('data', bytes => this.read(bytes.toString()));
    this.process.on('exit', () => this.waiting.forEach(w => w.reject(new Error('Chromium ended'))));
  }

  read(text) {
    const messages = (this.rest + text).split('\0');
    this.rest = messages.pop();
    messages.forEach(m => this.heard(JSON.parse(m)));
  }

  heard(m) {
    if (m.id) {
      const {resolve, reject} = this.waiting.get(m.id);
      this.waiting.delete(m.id);
      m.error ? reject(new Error(JSON.stringify(m.error))) : resolve(m.result);
    } else if (m.method === 'Network.requestWillBeSent') {
      this.requests.push(m.params.request.url);
    } else if (m.method === 'Runtime.exceptionThrown') {
      this.console.push(JSON.stringify(m.params.exceptionDetails).slice(0, 400));
    } else if (m.method === 'Log.entryAdded') {
      this.console.push(m.params.entry.text);
    } else if (m.method === 'Tracing.dataCollected') {
      this.trace.push(...m.params.value);
    } else if (m.method === 'Tracing.tracingComplete') {
      this.traced();
    } else if (m.method === 'Target.attachedToTarget') { /* a worker */
      const {sessionId} = m.params;
      this.send('Network.enable', {}, sessionId).catch(() => {});
      this.send('Runtime.runIfWaitingForDebugger', {}, sessionId).catch(() => {});
    }
  }

  send(method, params = {}, sessionId = this.session) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  async open(file, width = 1400, height = 1000) {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'}, undefined);
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true}, undefined);
    this.session = sessionId;
    await this.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: this.folder}, undefined);
    for (const domain of ['Page', 'Network', 'Runtime', 'Log', 'DOM', 'Accessibility']) {
      await this.send(domain + '.enable');
    }
    await this.send('Target.setAutoAttach', {autoAttach: true, waitForDebuggerOnStart: true, flatten: true});
    await this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: width < 600});
    await this.send('Page.navigate', {url: 'file://' + path.resolve(file)});
    await this.until('document.readyState === "complete"');
  }

  async eval(expression) {
    const {result, exceptionDetails} =
      await this.send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /* Until an expression is true; tests have no other clock than this one, which is generous. */
  async until(expression, seconds = 240) {
    for (let i = 0; i < seconds * 20; i++) {
      if (await this.eval(expression)) {
        return;
      }
      await new Promise(done => setTimeout(done, 50));
    }
    throw new Error('never true: ' + expression + '; the page says: ' +
      await this.eval('[...document.querySelectorAll(".say, #stage")].map(e => e.textContent).join(" | ")') +
      ' ' + this.console.join(' '));
  }

  text(id) {
    return this.eval(`document.getElementById('${id}').textContent`);
  }

  click(id) {
    return this.eval(`document.getElementById('${id}').click()`);
  }

  set(id, value, event = 'input') {
    return this.eval(`{const e = document.getElementById('${id}'); e.value = ${JSON.stringify(value)};` +
      `e.dispatchEvent(new Event('${event}', {bubbles: true}))}`);
  }

  async press(key, code) {
    for (const type of ['keyDown', 'keyUp']) {
      await this.send('Input.dispatchKeyEvent', {type, key, code: key, windowsVirtualKeyCode: code});
    }
  }

  async choose(id, file) {
    const {root} = await this.send('DOM.getDocument');
    const {nodeId} = await this.send('DOM.querySelector', {nodeId: root.nodeId, selector: '#' + id});
    await this.send('DOM.setFileInputFiles', {nodeId, files: [path.resolve(file)]});
  }

  async drop(id, file) {
    const at = await this.eval(`{const r = document.getElementById('${id}').getBoundingClientRect();` +
      '({x: r.x + r.width / 2, y: r.y + r.height / 2})}');
    const data = {items: [], files: [path.resolve(file)], dragOperationsMask: 1};
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await this.send('Input.dispatchDragEvent', {type, ...at, data});
    }
  }

  async downloaded(name) {
    const file = path.join(this.folder, name);
    for (let i = 0; i < 1200 && !fs.existsSync(file); i++) {
      await new Promise(done => setTimeout(done, 50));
    }
    return file;
  }

  async picture(file) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png', captureBeyondViewport: true});
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async startTrace() {
    this.trace = [];
    await this.send('Tracing.start', {traceConfig: {includedCategories: ['toplevel', '__metadata']},
      transferMode: 'ReportEvents'}, undefined);
  }

  async endTrace() {
    const complete = new Promise(done => { this.traced = done; });
    await this.send('Tracing.end', {}, undefined);
    await complete;
    return this.trace;
  }

  async close() {
    const gone = new Promise(done => this.process.once('exit', done));
    this.send('Browser.close', {}, undefined).catch(() => {});
    await gone;
    fs.rmSync(this.folder, {recursive: true, force: true});
  }
}

module.exports = {Browser};
