// The scripts that the pages under /docs hold, and how a value is found in an answer.
import assert from 'node:assert/strict';

// The script of an operation, as its page under /docs holds it.
export async function scriptOf(service, id) {
  const html = await (await fetch(`${service.base}/docs/operations/${id}`)).text();
  const held = /id="try"[^>]*data-script="([^"]*)"/.exec(html)?.[1];
  assert.ok(held, `the page of ${id} holds no script`);
  const letters = { '&quot;': '"', '&#34;': '"', '&#39;': "'", '&#x27;': "'", '&lt;': '<', '&#60;': '<', '&gt;': '>', '&#62;': '>', '&amp;': '&', '&#38;': '&' };
  return JSON.parse(held.replace(/&(?:quot|lt|gt|amp|#\d+|#x27);/g, (letter) => letters[letter] ?? letter));
}

// The operations in the order in which their scripts run in one world: whoever has asked for time off cannot leave the policy.
export function inOrder(paths) {
  const leaves = ([path]) => (path.endsWith('/remove_employees') ? 0 : 1);
  return Object.entries(paths).sort((one, other) => leaves(one) - leaves(other));
}

// A form of texts and files, as the page under /docs sends it.
export function formOf(parts) {
  const form = new FormData();
  for (const { name, file_name: file, content } of parts) {
    if (file) form.append(name, new Blob([content]), file);
    else form.append(name, content);
  }
  return form;
}

// The first value of that name, as the shell's `field` finds it.
export function find(value, key) {
  if (value === null || typeof value !== 'object') return undefined;
  if (typeof value[key] === 'string') return value[key];
  for (const inner of Object.values(value)) {
    const found = find(inner, key);
    if (found !== undefined) return found;
  }
  return undefined;
}
