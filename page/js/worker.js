/* Runs commands of dperm in a worker, each in an instance of its own: a message {id, args, files,
 * texts, wanted} is answered by {id, code, out, err, made}, and while it runs by {id, stage, done,
 * total}. The first message is the library: base64 of gzip of WebAssembly. Files are read from where
 * they are, piece by piece. */
let library;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(plain).arrayBuffer());
}

async function instance(told, lines) {
  const module = await library;
  return dperm({
    instantiateWasm: (imports, ready) => {
      WebAssembly.instantiate(module, imports).then(made => ready(made));
      return {};
    },
    quit: (status, signal) => { throw signal; },
    print: line => lines.out.push(line),
    printErr: line => lines.err.push(line),
    progress: told
  });
}

function reporter(id) {
  let last = 0;
  return (stage, done, total) => {
    const now = performance.now();
    if (now - last > 50) {
      last = now;
      postMessage({id, stage, done, total});
    }
  };
}

async function run({id, args, files = [], texts = {}, wanted = [], example}) {
  const lines = {out: [], err: []};
  const m = await instance(reporter(id), lines);
  for (const [name, text] of Object.entries(texts)) {
    m.FS.writeFile('/' + name, text);
  }
  if (files.length) {
    m.FS.mkdir('/records');
    m.FS.mount(m.WORKERFS, {files}, '/records');
  }
  const code = example ? m._page_example(example) : m.callMain(args);
  const made = {};
  for (const name of wanted) {
    made[name] = m.FS.analyzePath('/' + name).exists ? m.FS.readFile('/' + name) : null;
  }
  return {id, code, out: lines.out.join('\n'), err: lines.err, made};
}

onmessage = async ({data}) => {
  if (data.library) {
    library = unpacked(data.library);
    return;
  }
  try {
    postMessage(await run(data));
  } catch (failure) {
    const memory = failure instanceof RangeError || /memory/i.test(String(failure));
    postMessage({id: data.id, code: 1, out: '', made: {}, err: [memory
      ? 'dperm: out of memory; use fewer records, or the dperm command'
      : 'dperm: the page failed (' + failure + '); nothing was released']});
  }
};
