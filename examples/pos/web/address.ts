// What is shown stands in the address, after the #: Back, a bookmark and a new tab lead to it.
import { useSyncExternalStore } from 'react';

const heard = (changed: () => void) => {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
};

export const addressOf = (tab: string, step = '') => `#/${tab}${step && `/${step}`}`;

/** The tab, and the step within it. */
export function useAddress(): [tab: string, step: string] {
  const [, tab = '', step = ''] = useSyncExternalStore(heard, () => location.hash).split('/');
  return [tab, step];
}
