// `stipend dev` has a clock of its own, which may be days away from that of this machine. The components take today from the
// browser and would look for payrolls of other days, so that the page takes the service's time instead. Elsewhere there is no such clock.
import { call } from './call';

const FAR_MS = 3_600_000;

export async function takeTimeOfService(): Promise<void> {
  const { now } = await call<{ now: string | null }>('GET', '/pos/clock');
  const ahead = now ? Date.parse(now) - Date.now() : 0;
  if (Math.abs(ahead) < FAR_MS) return;
  globalThis.Date = new Proxy(Date, {
    construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [target.now() + ahead], made),
    apply: (target) => new target(target.now() + ahead).toString(),
    get: (target, name) => (name === 'now' ? () => target.now() + ahead : Reflect.get(target, name)),
  });
}
