import '@gusto/embedded-react-sdk/style.css';
import './style.css';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useServer } from './call';
import { Events } from './events';
import { Embedded } from './embedded';
import { RunPayroll } from './payroll';
import { Setup } from './setup';
import { SignUp } from './signup';
import { Staff } from './staff';
import { Team } from './team';

const TABS = { Team, Setup, Payroll: RunPayroll, Events };
type Tab = keyof typeof TABS;

export interface Restaurant {
  name: string;
  companyId: string;
}

function Owner() {
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
        <Embedded>
          <Shown {...restaurant} />
        </Embedded>
      </main>
    </>
  );
}

const [, area, code] = location.pathname.split('/');
createRoot(document.getElementById('root')!).render(area === 'staff' && code ? <Staff code={code} /> : <Owner />);
