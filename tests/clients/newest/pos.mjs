// The example partner application (examples/pos): started beside a service, and the way through it.
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as browser from '../../browser/support.mjs';
import { choose, type } from '../react/support.mjs';

const FOLDER = fileURLToPath(new URL('../../../examples/pos/', import.meta.url));

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

// Checks its types, bundles it and starts it; its address, and how it is ended.
export async function startPos(service) {
  const run = (...args) => execFileSync(process.execPath, args, { cwd: FOLDER, stdio: 'inherit' });
  run('node_modules/typescript/bin/tsc');
  run('build.mjs');
  const { client_id, client_secret } = service.report.application;
  const PORT = String(await freePort());
  const child = spawn(process.execPath, ['dist/server.js'], {
    cwd: FOLDER, stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, BASE: service.base, CLIENT_ID: client_id, CLIENT_SECRET: client_secret, PORT },
  });
  process.once('exit', () => child.kill());
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('the example did not start')));
  });
  return { address: `http://127.0.0.1:${PORT}`, stop: () => child.kill() };
}

// Signs a restaurant up and hires Omar; the address that he is sent.
export async function signUpAndHire(owner, pos) {
  await owner.goto(pos);
  await owner.getByRole('button', { name: 'Sign up' }).click();
  await owner.getByRole('heading', { name: 'Team' }).waitFor();
  for (const [label, value] of [['First name', 'Omar'], ['Last name', 'Farouk'], ['E-mail', 'omar@people.example']]) {
    await owner.getByLabel(label).fill(value);
  }
  await owner.getByRole('button', { name: 'Hire' }).click();
  const link = owner.getByRole('link', { name: 'Send this to Omar' });
  await link.waitFor();
  return pos + (await link.getAttribute('href'));
}

export async function approve(owner) {
  await owner.getByRole('button', { name: 'Approve' }).click();
  await owner.getByText('onboarding completed').waitFor();
}

export const tab = (owner, name) => owner.getByRole('navigation').getByRole('link', { name, exact: true }).click();

// The hosted pages inside the frame; the names of fields are those of tests/browser.
export async function onboard(service, page) {
  const frame = page.frameLocator('iframe');
  const shows = async (screen) => {
    for (let tries = 0; !inside()?.url().endsWith(`/flow/${screen}`); tries += 1) {
      if (tries === 200) throw new Error(`${screen} did not come: ${await frame.locator('body').innerText()}`);
      await pause(50);
    }
    await frame.locator('main').waitFor();
  };
  const inside = () => page.frames().find((one) => one.url().startsWith(service.base));
  const next = () => frame.locator('main button.main').first().click();
  await shows('welcome');
  await frame.locator('a.button').click();
  await shows('personal');
  await browser.fill(inside(), { date_of_birth: '1999-08-21', ssn: '412-55-1099' });
  await next();
  await shows('address');
  await browser.fill(inside(), { street_1: '77 Juniper Lane', city: 'San Antonio', state: 'TX', zip: '78209' });
  await next();
  await shows('federal');
  await browser.fill(inside(), { filing_status: 'Single', two_jobs: 'false' });
  await next();
  await shows('payment');
  const account = { name: 'Household', routing_number: '021000021', account_number: '1234567890', account_type: 'Checking' };
  await browser.fill(inside(), { ...account, account_number_again: account.account_number });
  await frame.locator('button[value="add"]').click();
  await frame.locator('.accounts li').waitFor();
  await next();
  await shows('documents');
  await frame.locator('[name="signature_text"]').first().fill('Omar Farouk');
  await frame.locator('[name="agree"]').first().check();
  await next();
  await shows('review');
  await next();
  await shows('done');
}

// What the owner enters where the law asks for it.
export async function setUp(owner) {
  const shown = owner.locator('main section').first();
  const button = (name) => shown.getByRole('button', { name }).click();
  const step = (name) => owner.getByRole('link', { name, exact: true }).click();
  const press = (name) => owner.getByRole('button', { name, exact: true }).click();
  const done = (name) => owner.locator('li[data-done]', { has: owner.getByRole('link', { name, exact: true }) }).waitFor();
  await step('Bank account');
  await shown.getByLabel('Routing number').fill('021000021');
  await shown.getByLabel('Account number').fill('1234567890');
  await button('Continue');
  await done('Bank account');
  await step('Bank account verification');
  await press('Play the bank');
  const amounts = (await owner.locator('output').innerText()).match(/0\.\d\d/g);
  // The component begins anew when it has read the account again, whatever was pressed meanwhile.
  const [first, verify] = [shown.getByLabel('Test deposit #1'), shown.getByRole('button', { name: 'Verify bank account' })];
  for (let tries = 0; tries < 60 && !(await first.isVisible()); tries += 1) {
    // The button may go while it is looked at.
    await verify.click({ timeout: 500 }).catch(() => {});
    await pause(500);
  }
  for (const [place, amount] of amounts.entries()) await shown.getByLabel(`Test deposit #${place + 1}`).fill(amount);
  await button('Verify deposits');
  await done('Bank account verification');

  await step('State tax details');
  await button('Actions for Texas');
  await owner.getByRole('menuitem', { name: 'Start setup' }).click();
  await shown.getByLabel('Unemployment insurance account number').fill('99-765432-1');
  await shown.getByRole('textbox', { name: 'Unemployment insurance rate' }).fill('2.7');
  await button('Save');
  await done('State tax details');

  await step('Documents to sign');
  const signatory = { 'First name': 'Elena', 'Last name': 'Marsh', 'Email address': 'elena@luz.example', 'Phone number': '2105550143',
    'Social security number': '412551188', 'Street 1': '19 Willow Court', City: 'San Antonio', Zip: '78209' };
  for (const [label, value] of Object.entries(signatory)) await shown.getByLabel(label).first().fill(value);
  await choose(owner, 'Title', 'Owner');
  await choose(owner, 'State', 'Texas');
  await type(owner, 'Date of birth', '01221971');
  await button('Sign documents');
  const unsigned = shown.getByRole('button', { name: 'Sign document' });
  for (let left = 2; left > 0; left -= 1) {
    // The list is read again behind one that still has the form that was just signed.
    for (let tries = 0; (await unsigned.count()) !== left; tries += 1) {
      if (tries === 300) throw new Error(`${left} forms to sign did not come: ${await shown.innerText()}`);
      await pause(50);
    }
    await unsigned.first().click();
    await shown.getByLabel('Signature').fill('Elena Marsh');
    await shown.getByRole('checkbox').press('Space');
    await button('Sign form');
    await shown.getByText('Bank Account Authorization').waitFor();
  }
  await done('Documents to sign');
  await press('Finish');
  await owner.getByText('All done').waitFor();
}

// `look` is called when the payroll is calculated.
export async function runPayroll(owner, look = async () => {}) {
  const button = (name) => owner.getByRole('button', { name, exact: true }).first().click();
  await tab(owner, 'Payroll');
  await button('Run Payroll');
  await owner.getByRole('row', { name: 'Omar Farouk' }).getByRole('button').click();
  await owner.getByRole('menuitem', { name: 'Edit' }).click();
  await owner.getByLabel('Regular Hours').fill('72');
  await button('Save');
  await owner.getByText('$1,404.00').first().waitFor();
  await button('Calculate and review');
  await owner.getByRole('heading', { name: 'Review payroll' }).waitFor();
  await look();
  await button('Submit');
}
