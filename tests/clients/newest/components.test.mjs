// Every component of the newest release of the published React components, unmodified, in a browser.
import { everyComponent } from '../react/components.mjs';
import { world } from '../react/support.mjs';
import { client } from './client.mjs';
import { ABSENT, COMPONENTS, GROUPS, SHORT } from './table.mjs';

const service = world(new URL('page.jsx', import.meta.url), [client]);
everyComponent(service, { components: COMPONENTS, absent: ABSENT, groups: GROUPS, short: SHORT });
