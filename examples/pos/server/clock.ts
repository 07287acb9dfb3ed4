// `stipend dev` has a clock of its own, which may be days away from that of this machine. Elsewhere there is no such clock.
import { config } from './config';

/** What time it is for the service, if that has a clock of its own. */
export async function clockOfService(): Promise<string | null> {
  const answer = await fetch(`${config.base}/v1/test_helpers/clock`);
  return answer.ok ? ((await answer.json()) as { now: string }).now : null;
}

/** The service's time, in milliseconds. */
export async function nowOfService(): Promise<number> {
  const now = await clockOfService();
  return now ? Date.parse(now) : Date.now();
}
