// The page's own files, compressed once when the server starts. Those whose name holds a hash of their content never change.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';

interface File {
  headers: Record<string, string>;
  /** by encoding; the empty one is plain */
  content: Record<string, Buffer>;
}

const TYPES: Record<string, string> = { js: 'text/javascript', css: 'text/css', html: 'text/html; charset=utf-8' };
const folder = new URL('.', import.meta.url);

function read(name: string): File {
  const plain = readFileSync(new URL(name, folder));
  return {
    headers: {
      'Content-Type': TYPES[name.split('.').pop() ?? ''] ?? 'application/octet-stream',
      'Cache-Control': name.startsWith('part-') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`,
      Vary: 'Accept-Encoding',
    },
    content: { '': plain, gzip: gzipSync(plain), br: brotliCompressSync(plain) },
  };
}

const names = readdirSync(folder).filter((name) => /^(page\.(js|css|html)|part-.*\.js)$/.test(name));
const FILES = Object.fromEntries(names.map((name) => [`/${name}`, read(name)]));

/** A file, or the page itself under any other address. */
export function sendFile(request: IncomingMessage, response: ServerResponse, pathname: string): void {
  const { headers, content } = (FILES[pathname] ?? FILES['/page.html'])!;
  if (request.headers['if-none-match'] === headers.ETag) return void response.writeHead(304, headers).end();
  const accepted = String(request.headers['accept-encoding'] ?? '').split(',').map((one) => one.trim().split(';')[0]);
  const encoding = ['br', 'gzip'].find((one) => accepted.includes(one)) ?? '';
  response.writeHead(200, encoding ? { ...headers, 'Content-Encoding': encoding } : headers).end(content[encoding]);
}
