// Takes the pictures of README.md and docs/ anew, from the demo world: in the light and in the dark. Run it with the program's path
// in STIPEND_BINARY, after tests/clients/run has got the packages of the example:
//
//   STIPEND_BINARY=target/debug/stipend node tests/browser/pictures.mjs
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { approve, onboard, runPayroll, setUp, signUpAndHire, startPos, tab } from '../clients/newest/pos.mjs';
import { DESKTOP, PHONE, hire, launch, link, open, paidSomebody, start } from './support.mjs';

const LARGEST = 150 * 1000;
const file = (name) => fileURLToPath(new URL(`../../docs/pictures/${name}.png`, import.meta.url));

async function taken(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const path = file(`${name}-${colorScheme}`);
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path, animations: 'disabled' });
    const { size } = statSync(path);
    assert.ok(size < LARGEST, `${path} has ${size} bytes`);
    console.log(`${path} ${size}`);
  }
}

process.env.STIPEND_BINARY = resolve(process.env.STIPEND_BINARY);
const service = { ...(await start({ history: true })), browser: await launch() };

const { page: phone } = await open(service, PHONE);
await phone.goto((await hire(service)).link);
await phone.goto(`${service.base}/flow/personal`);
await taken(phone, 'onboarding');

const { page: desk } = await open(service, DESKTOP);
const past = service.report.companies.find(({ name }) => name.startsWith('Juniper Table'));
await desk.goto(`${service.base}/console/companies/${past.uuid}`);
await taken(desk, 'console');
await desk.setViewportSize({ width: 1280, height: 620 });
await desk.goto(`${service.base}/docs/operations/create_employee`);
await desk.getByText('TypeScript', { exact: true }).click();
await taken(desk, 'docs');

// The way to a payday moves the clock by days: what is late then, and tokens that have ended, are in no picture.
const paid = await paidSomebody(service);
const { page: spanish } = await open(service, { ...PHONE, locale: 'es-US' });
await spanish.goto(await link(service, paid, 'pay_stubs'));
await spanish.goto(`${service.base}/flow/pay_stubs`);
await spanish.locator('.stubs a').first().click();
await taken(spanish, 'pay-stubs-spanish');

const example = await startPos(service);
const { page: owner } = await open(service, DESKTOP, [example.address, 'null']);
const { page: employee } = await open(service, PHONE, [example.address]);
await employee.goto(await signUpAndHire(owner, example.address));
await onboard(service, employee);
await approve(owner);
await tab(owner, 'Setup');
await setUp(owner);
await runPayroll(owner, () => taken(owner, 'pos'));

example.stop();
await service.browser.close();
await service.stop();
process.exit(0);
