// How pages are looked at: pictures for people, what axe-core finds, and whether a page in Spanish says anything in English.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

// How much of a long page a picture holds: what lies below is more of the same.
const TALLEST = 4000;

// Every screenshot is looked at by people, not compared: one pixel for each of the page's is enough, and is quick to write.
export async function picture(page, name) {
  mkdirSync(path('screenshots'), { recursive: true });
  const { width, height } = await page.evaluate(() => ({ width: innerWidth, height: document.documentElement.scrollHeight }));
  const clip = { x: 0, y: 0, width, height: Math.min(height, TALLEST) };
  const take = () => page.screenshot({ path: path(`screenshots/${name}.png`), fullPage: true, scale: 'css', clip });
  // A busy Chromium now and then has no frame to show, and has one when it is asked again a little later.
  for (let left = 5; ; left -= 1) {
    try {
      return await take();
    } catch (error) {
      if (left === 0 || !error.message.includes('Unable to capture screenshot')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

// Opens every part of the page that can be opened.
export const unfold = (page, selector = 'main details') =>
  page.locator(selector).evaluateAll((all) => all.forEach((one) => (one.open = true)));

// How far the page is wider than the screen.
export const tooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const AXE = readFileSync(path('node_modules/axe-core/axe.min.js'), 'utf8');

// What each page holds from its beginning on.
export const BRING_AXE = `globalThis.bringAxe = () => { ${AXE} };`;

// What axe-core finds wrong with the page. No script of a page is needed for it, nor is the policy in its way. What fades in has the
// colours of its end, as far as it has one.
export async function faults(page, name) {
  const violations = await page.evaluate(async () => {
    if (!globalThis.axe) globalThis.bringAxe();
    for (const one of document.getAnimations()) {
      if (one.effect?.getComputedTiming().endTime !== Infinity) one.finish();
    }
    // What was right is not sent back: it is many times as much.
    return (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations;
  });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${name}: ${id} (${help}): ${node.html} ${node.failureSummary ?? ''}`));
}

// The catalogues, as the service has them: what a page says is compared with what it was told to say.
const source = (relative) => readFileSync(path(`../../crates/${relative}`), 'utf8');
const named = (text) => Object.fromEntries([...text.matchAll(/^ {4}(\w+): "(.*)",$/gm)].map(([, key, words]) => [key, words]));
const catalogue = (language) => named(source(`pages/src/flows/texts/${language}.rs`));
export const TEXTS = { en: catalogue('en'), es: catalogue('es') };

// Each text with what stands for it in Spanish, of every catalogue and table of translations.
function translations() {
  // Texts of a match stand beside their English by name, not by place.
  const literals = (text) => [...text.replace(/^\/\/.*$/gm, '').replace(/^ {4}match [^]*?^ {4}\}$/gm, '').replace(/^ {4}w2_boxes: &\[[^]*?^ {4}\],$/gm, '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, words]) => words);
  const pairs = ['flows/texts', 'flows/texts/employer', 'flows/texts/contractor', 'oauth/texts'].flatMap((folder) => {
    const [english, spanish] = ['en', 'es'].map((language) => literals(source(`pages/src/${folder}/${language}.rs`)));
    assert.equal(english.length, spanish.length, folder);
    return english.map((words, at) => [words, spanish[at]]);
  });
  const arms = (relative) => Object.fromEntries(
    [...source(relative).matchAll(/^ +(?:Self|\w*Kind)::(\w+) => \{?\s*"(.*)"/gm)].map(([, kind, words]) => [kind, words]));
  const [blockers, inSpanish] = [arms('domain/src/pay/payrolls/service/blockers.rs'), arms('pages/src/flows/texts/employer/es.rs')];
  assert.deepEqual(Object.keys(blockers).sort(), Object.keys(inSpanish).sort(), 'blockers');
  for (const [kind, words] of Object.entries(blockers)) pairs.push([words, inSpanish[kind]]);
  const [english, spanish] = source('domain/src/pay/payrolls/views/stub/words.rs').split('const SPANISH').map(named);
  for (const [key, words] of Object.entries(english)) pairs.push([words, spanish[key]]);
  for (const table of ['questions_es', 'requirements_es']) {
    const row = /^("(?:[^"]|"")*"|[^",]*),("(?:[^"]|"")*"|[^",]*)$/gm;
    const plain = (cell) => cell.replace(/^"|"$/g, '').replaceAll('""', '"');
    const rows = [...source(`pages/src/flows/texts/${table}.csv`).matchAll(row)].slice(1);
    pairs.push(...rows.map(([, words, translated]) => [plain(words), plain(translated)]));
  }
  return pairs;
}

// Words that only an English page says, as patterns: a value stands for `{name}`. Short ones are looked for as the whole of a text.
// Lines of pay and taxes have their names in the interface, where no catalogue of English is.
const ENGLISH = (() => {
  const pairs = translations();
  const inSpanish = new Set(pairs.map(([, spanish]) => spanish));
  const lines = ['Regular Hours', 'Overtime', 'Double overtime', 'Vacation Hours', 'Sick Hours', 'Holiday Hours', 'Bonus', 'Paycheck Tips',
    'Minimum Wage Adjustment', 'Federal Income Tax', 'Social Security', 'Additional Medicare'];
  const all = pairs.filter(([english, spanish]) => english !== spanish && !inSpanish.has(english)).map(([english]) => english);
  assert.ok(all.length > 500, `${all.length} texts`);
  return [...all, ...lines].filter((text) => /[A-Za-z]{2}/.test(text.replaceAll(/\{\w+\}/g, ''))).map((text) => {
    const escaped = text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+');
    const long = text.replaceAll(/\{\w+\}/g, '').length > 14;
    return { text, pattern: long ? escaped : `^${escaped}$` };
  });
})();

// English words on a page in Spanish: in its text, and in what is read aloud. What is marked as English is meant to be.
export async function englishOn(page, name) {
  const said = await page.evaluate(() => {
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
      if (element.closest('[lang]')?.lang !== 'es' || element.closest('script, style')) continue;
      if (node.nodeType === Node.TEXT_NODE) found.push(node.textContent);
      else found.push(...['aria-label', 'alt', 'title', 'placeholder'].map((attribute) => node.getAttribute(attribute) ?? ''));
    }
    return found.map((text) => text.replaceAll(/\s+/g, ' ').trim()).filter((text) => /[A-Za-z]{2}/.test(text));
  });
  return ENGLISH.flatMap(({ text, pattern }) =>
    said.filter((words) => new RegExp(pattern).test(words)).map((words) => `${name}: "${words}" is English: ${text}`));
}
