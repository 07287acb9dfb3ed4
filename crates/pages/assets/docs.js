// What the pages do beyond reading, none of which they need: a filter, copying, and under `stipend dev` a form that sends
// an example to the demo world.
'use strict';

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// The list of areas is open where it has a column of its own.
const areas = document.querySelector('.areas');
if (areas) {
  areas.open = window.matchMedia('(min-width: 60rem)').matches;
  // The page's own line may lie below the others: they scroll to it, and the page stays where it is.
  const own = areas.querySelector('[aria-current="page"]');
  if (own && areas.open) areas.scrollTop = own.offsetTop - areas.clientHeight / 2;
}

const filter = document.getElementById('filter');
if (filter) {
  const input = make('input', { type: 'search', autocomplete: 'off' });
  filter.append(make('label', {}, 'Find an operation', input));
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of document.querySelectorAll('section.card')) {
      let any = false;
      for (const line of card.querySelectorAll('.operations li')) {
        const text = `${line.textContent} ${line.firstElementChild.getAttribute('href')}`.toLowerCase();
        line.hidden = !words.every((word) => text.includes(word));
        any ||= !line.hidden;
      }
      card.hidden = !any;
    }
  });
}

const shell = document.getElementById('shell');
if (shell && navigator.clipboard) {
  const button = make('button', { type: 'button', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    const examples = [...shell.closest('section').querySelectorAll('.example:not(.answer) pre')];
    await navigator.clipboard.writeText(examples.find((one) => one.checkVisibility()).textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  shell.parentElement.before(make('div', { className: 'bar' }, button));
}

const place = document.getElementById('try');
if (place) offer(place, JSON.parse(place.dataset.script));

// A form for the values of a script; sending it runs the requests before the last one where a value is still missing.
function offer(place, script) {
  const inputs = new Map();
  const fields = [];
  const field = (name, value, about) => {
    const input = make('input', { name, value: value ?? '', autocomplete: 'off', spellcheck: false });
    input.placeholder = about;
    inputs.set(name, input);
    fields.push(make('label', {}, name, input));
  };
  for (const { name, value, about } of script.known) field(name, value, about);
  for (const step of script.steps) {
    for (const [name] of step.gives) field(name, '', `from the answer of ${step.method} ${step.path.split('?')[0]}`);
  }
  const last = script.steps.at(-1);
  let body;
  if (last.body) {
    body = make('textarea', { name: 'body', value: pretty(last.body), spellcheck: false });
    fields.push(make('label', {}, 'Body', body));
  }
  const send = make('button', { type: 'submit', className: 'main', textContent: 'Send' });
  const output = make('output');
  output.setAttribute('aria-live', 'polite');
  const form = make('form', { className: 'try' }, make('h3', { textContent: 'Try it' }), ...fields, send, output);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    output.replaceChildren();
    try {
      await run(script, inputs, body, output);
    } catch (error) {
      output.append(make('p', { className: 'bad', textContent: String(error.message ?? error) }));
    }
    send.disabled = false;
  });
  place.append(form);
}

async function run(script, inputs, body, output) {
  const log = make('ul', { className: 'log' });
  output.append(log);
  const fill = (text) => text.replace(/\$([A-Z_]+)/g, (whole, name) => inputs.get(name)?.value ?? whole);
  const last = script.steps.at(-1);
  for (const step of script.steps) {
    // A request that only gets what is there already is left out.
    const missing = step.gives.filter(([name]) => !inputs.get(name).value);
    if (step !== last && step.gives.length > 0 && missing.length === 0) continue;
    const headers = {};
    if (step.token) headers.Authorization = `Bearer ${inputs.get(step.token).value}`;
    const content = step === last && body ? body.value : step.body;
    if (content) headers['Content-Type'] = 'application/json';
    const path = fill(step.path);
    const sent = step.form.length > 0 ? formOf(step.form) : content && fill(content);
    const answer = await fetch(path, { method: step.method, headers, body: sent || undefined });
    const text = await answer.text();
    log.append(make('li', { textContent: `${step.method} ${path} was answered ${answer.status}` }));
    if (step === last || !answer.ok) {
      show(output, answer, text);
      return;
    }
    for (const [name, key] of missing) inputs.get(name).value = find(JSON.parse(text), key) ?? '';
  }
}

// A form of texts and files; the browser says its type and boundary.
function formOf(parts) {
  const form = new FormData();
  for (const { name, file_name: file, content } of parts) {
    if (file) form.append(name, new Blob([content]), file);
    else form.append(name, content);
  }
  return form;
}

// The first value of that name, as the shell's `field` finds it.
function find(value, key) {
  if (value === null || typeof value !== 'object') return undefined;
  if (typeof value[key] === 'string') return value[key];
  for (const inner of Object.values(value)) {
    const found = find(inner, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function show(output, answer, text) {
  const panel = make('div', { className: 'example answer', tabIndex: 0 }, make('pre', { textContent: `${answer.status}\n${pretty(text)}` }));
  panel.setAttribute('role', 'region');
  panel.setAttribute('aria-label', 'The answer');
  output.append(panel);
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
