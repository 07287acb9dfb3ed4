// A page that is used with the keyboard alone.
import assert from 'node:assert/strict';
import { dateParts, going } from './support.mjs';

// Somebody with a keyboard and nothing else. Each stop of the tab key has to be seen, and to lie in the window, and to follow the one
// before: below it, or to its right.
export function keyboard(page) {
  let before;
  const reach = async (selector) => {
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate((wanted) => {
        const one = document.activeElement;
        const { left, top, right, bottom } = one.getBoundingClientRect();
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        return {
          what: one.outerHTML.slice(0, 120), wanted: one.matches(wanted), left, right, top: top + scrollY, bottom: bottom + scrollY,
          ring: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2, inMain: Boolean(one.closest('main')),
          inWindow: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth, isBody: one === document.body,
        };
      }, selector);
      // Past the last stop the browser begins anew.
      if (stop.isBody) {
        before = undefined;
        continue;
      }
      assert.ok(stop.ring, `${stop.what} shows its focus`);
      assert.ok(stop.inWindow, `${stop.what} is in the window`);
      if (before?.inMain && stop.inMain && stop.what !== before.what) {
        const follows = stop.top >= before.top - 4 || stop.left >= before.right - 4;
        assert.ok(follows, `${stop.what} follows ${before.what}`);
      }
      before = stop;
      if (stop.wanted) return;
    }
    assert.fail(`${selector} cannot be reached with the tab key`);
  };
  // Moving to a field with the tab key selects what it holds: typing replaces it. A choice is made by its first letters.
  const type = async (values) => {
    const fields = Object.entries(values).flatMap(([name, value]) => {
      const parts = dateParts(value);
      return parts ? Object.entries(parts).map(([part, text]) => [`${name}.${part}`, text]) : [[name, value]];
    });
    for (const [name, value] of fields) {
      await reach(`main [name="${name}"]`);
      const label = await page.evaluate((wanted) => {
        const options = [...(document.activeElement.options ?? [])];
        return options.find((option) => option.value === wanted)?.label;
      }, value);
      if (label) {
        await page.keyboard.type(label);
        assert.equal(await page.evaluate(() => document.activeElement.value), value);
      } else if (value) await page.keyboard.type(value);
      else await page.keyboard.press('Delete');
    }
  };
  const tick = async (selector) => {
    await reach(selector);
    await page.keyboard.press('Space');
    assert.ok(await page.evaluate(() => document.activeElement.checked), `${selector} is ticked`);
  };
  // Goes on from where the focus is, or from a button or a link.
  const enter = async (selector) => {
    if (selector) await reach(selector);
    before = undefined;
    return going(page, () => page.keyboard.press('Enter'));
  };
  return { reach, type, tick, enter };
}
