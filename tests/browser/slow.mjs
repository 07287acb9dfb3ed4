// A slow phone: a processor a quarter as fast as this one, and the network that Lighthouse calls slow 4G.
import assert from 'node:assert/strict';
import { availableParallelism, loadavg } from 'node:os';
import { PHONE, open } from './support.mjs';

const CPU = 4;
const NETWORK = { offline: false, latency: 150, downloadThroughput: (1.6 * 1024 * 1024) / 8, uploadThroughput: (750 * 1024) / 8 };
// What else this machine does makes it slower than a phone would be: the best of that many counts, and where more processes want a
// processor than there are, a page has as much longer as it has less of one.
const TRIES = 5;
const share = () => Math.max(1, loadavg()[0] / availableParallelism());

// When the largest part was painted, nothing that blocks was left to do, and what `ready` waits for was there. The cache is empty, as
// for whoever follows a link.
async function usableOnce(service, { base = service.base, path, cookie, ready }) {
  const { page, context, close } = await open(service, { ...PHONE, looked: false }, [base], ['AbortError']);
  const [name, value] = cookie?.split('=') ?? [];
  if (name) await context.addCookies([{ name, value, url: base }]);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU });
  const answer = await page.goto(base + path);
  assert.equal(answer.status(), 200);
  assert.equal(new URL(page.url()).pathname, path.split(/[?#]/)[0]);
  await ready?.(page);
  const shown = ready ? await page.evaluate(() => performance.now()) : 0;
  const painted = await page.evaluate(() => new Promise((resolve) => {
    const { domContentLoadedEventEnd } = performance.getEntriesByType('navigation')[0];
    const seen = (list) => resolve(Math.max(domContentLoadedEventEnd, ...list.getEntries().map(({ startTime }) => startTime)));
    new PerformanceObserver(seen).observe({ type: 'largest-contentful-paint', buffered: true });
  }));
  await close();
  return Math.round(Math.max(painted, shown));
}

// A page that is usable later than it may be, with its time; nothing otherwise.
export async function late(service, asked, allowed) {
  let after = Infinity;
  for (let tries = TRIES; tries > 0 && after > allowed; tries -= 1) after = Math.min(after, await usableOnce(service, asked));
  const most = Math.round(allowed * share());
  console.log(`${asked.path}: ${after} ms of ${most}`);
  return after > most ? [`${asked.path}: ${after} ms of ${most}`] : [];
}
