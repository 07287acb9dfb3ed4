// Calls of the page's own server.
import { useCallback, useEffect, useState } from 'react';

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const EVERY_MS = 2000;

/** What the server answers, asked again now and then; and a function that asks at once. */
export function useServer<T>(path: string): [value: T | undefined, again: () => void] {
  const [value, set] = useState<T>();
  const again = useCallback(() => {
    call<T>('GET', path).then(set, () => {});
  }, [path]);
  useEffect(() => {
    again();
    const timer = setInterval(again, EVERY_MS);
    return () => clearInterval(timer);
  }, [again]);
  return [value, again];
}
