// Bundles the server and the page into dist/: one style sheet, and scripts of which those with components are loaded when needed.
import { copyFile, readFile, rm } from 'node:fs/promises';
import { build } from 'esbuild';

// This release of the components names a preview of its typed client that no registry has. package.json takes the last
// published one instead, which lacks one list of names.
const weekdays = {
  name: 'weekdays',
  setup: ({ onLoad }) => onLoad({ filter: /embedded-api\/esm\/models\/components\/payschedulecreaterequest\.js$/ }, async ({ path }) => {
    const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
    const list = JSON.stringify(Object.fromEntries(days.map((day) => [day, day])));
    return { contents: `${await readFile(path, 'utf8')}\nexport const WorkweekStartDay = ${list};`, loader: 'js' };
  }),
};

await rm('dist', { recursive: true, force: true });
const common = { bundle: true, format: 'esm', outdir: 'dist', logLevel: 'warning' };
await build({ ...common, entryPoints: { server: 'server/main.ts' }, platform: 'node', packages: 'external', sourcemap: true });
await build({
  ...common, entryPoints: { page: 'web/main.tsx' }, jsx: 'automatic', minify: true, plugins: [weekdays],
  splitting: true, chunkNames: 'part-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' }, loader: { '.svg': 'dataurl', '.woff2': 'dataurl' },
});
await copyFile('web/page.html', 'dist/page.html');
