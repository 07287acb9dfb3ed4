// The owner's pages. Those with components are loaded when they are opened: the components are most of what a page weighs.
import { Suspense, lazy, useState } from 'react';
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
  const [restaurant, again] = useServer<Restaurant>('/pos/restaurant');
  const [tab, choose] = useState<Tab>('Team');
  if (!restaurant) return <SignUp onDone={again} />;
  const Shown = TABS[tab];
  return (
    <>
      <header>
        <b>Mesa</b>
        <span>{restaurant.name}</span>
        <nav>
          {(Object.keys(TABS) as Tab[]).map((name) => (
            <button key={name} aria-current={name === tab ? 'page' : undefined} onClick={() => choose(name)}>{name}</button>
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
