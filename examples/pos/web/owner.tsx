// The owner's pages. Those with components are loaded when they are opened: the components are most of what a page weighs.
import { Suspense, lazy } from 'react';
import { addressOf, useAddress } from './address';
import { useServer } from './call';
import { Events } from './events';
import { SignUp } from './signup';
import { Team } from './team';

const Setup = lazy(() => import('./setup'));
const RunPayroll = lazy(() => import('./payroll'));
const TABS = { Team, Setup, Payroll: RunPayroll, Events };
type Tab = keyof typeof TABS;

export interface Restaurant {
  name: string;
  companyId: string;
}

export default function Owner() {
  const [restaurant, again] = useServer<Restaurant | null>('/pos/restaurant');
  const [asked] = useAddress();
  if (restaurant === undefined) return null;
  if (!restaurant) return <SignUp onDone={again} />;
  const tab: Tab = asked in TABS ? (asked as Tab) : 'Team';
  const Shown = TABS[tab];
  return (
    <>
      <header>
        <b>Mesa</b>
        <span>{restaurant.name}</span>
        <nav>
          {(Object.keys(TABS) as Tab[]).map((name) => (
            <a key={name} href={addressOf(name)} aria-current={name === tab ? 'page' : undefined}>{name}</a>
          ))}
        </nav>
      </header>
      <main>
        <Suspense fallback={<p role="status">One moment…</p>}>
          <Shown {...restaurant} />
        </Suspense>
      </main>
    </>
  );
}
