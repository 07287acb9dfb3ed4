// The few things that every route needs.
import type { IncomingMessage, ServerResponse } from 'node:http';

const LONGEST_BODY = 1024 * 1024;

/** An answer that is no success, with what the page shows. */
export class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > LONGEST_BODY) throw new Refusal(413, 'that is too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** JSON only: a form of another site cannot send it. */
export async function jsonOf<T>(request: IncomingMessage): Promise<T> {
  if (request.headers['content-type'] !== 'application/json') throw new Refusal(415, 'application/json is expected');
  return JSON.parse((await bodyOf(request)).toString());
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(value ?? null));
}

const COOKIE = 'pos_session';
export const sessionOf = (request: IncomingMessage) => new RegExp(`${COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1];
export const cookie = (session: string) => `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Strict`;

/** What the service refuses is told to the owner in the service's words. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { body, statusCode } = error as { body?: string; statusCode?: number };
  if (typeof body === 'string' && statusCode !== undefined && statusCode < 500) {
    try {
      const messages = (JSON.parse(body).errors as { message: string }[]).map(({ message }) => message);
      return new Refusal(422, messages.join('. '));
    } catch {
      // Not an error as the service writes them: told as one of ours.
    }
  }
  console.error(error);
  return new Refusal(502, 'something went wrong; the server\'s log says what');
}
