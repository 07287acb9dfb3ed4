// What the client tests share: a service with its demo world, and the published client pointed at it. The client checks
// each answer against its own schema and throws where one does not fit: that is most of what is tested here.
import { after, before } from 'node:test';
import { GustoEmbedded } from '@gusto/embedded-api';
import { start } from '../support/service.mjs';

export function world() {
  const held = {};
  before(async () => {
    Object.assign(held, await start());
    held.client = new GustoEmbedded({ serverURL: held.base, companyAccessAuth: held.company.access_token });
    held.system = { systemAccessAuth: held.report.system_access_token };
  });
  after(() => held.stop?.());
  return held;
}

export const statusOf = (answer) => answer.httpMeta.response.status;

// What a call throws; a call that succeeds is a failure of the test.
export async function thrown(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the call was not refused');
}
