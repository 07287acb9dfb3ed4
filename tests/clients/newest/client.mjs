// The typed client with which the newest components are bundled.
import { readFile } from 'node:fs/promises';

// The release names a preview of its typed client that no registry has. The last one that there is serves, but for one list.
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
export const client = {
  name: 'what the typed client lacks',
  setup: (build) => build.onLoad({ filter: /embedded-api\/esm\/models\/components\/payschedulecreaterequest\.js$/ }, async ({ path }) => {
    const days = JSON.stringify(Object.fromEntries(DAYS.map((day) => [day, day])));
    return { contents: `${await readFile(path, 'utf8')}\nexport const WorkweekStartDay = ${days};`, loader: 'js' };
  }),
};
