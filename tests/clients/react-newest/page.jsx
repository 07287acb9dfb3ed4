// As the page of the other components: one of them, as its address asks for, and what it tells. The parts are named by their
// files, because the whole also asks for an enumeration that no released client has yet.
import '@gusto/embedded-react-sdk/style.css';
import { createRoot } from 'react-dom/client';
import { TerminationFlow } from './node_modules/@gusto/embedded-react-sdk/dist/components/Employee/Terminations/TerminationFlow/TerminationFlow.js';
import { TimeOffFlow } from './node_modules/@gusto/embedded-react-sdk/dist/components/TimeOff/TimeOffFlow/TimeOffFlow.js';
import { GustoProvider } from './node_modules/@gusto/embedded-react-sdk/dist/contexts/GustoProvider/GustoProvider.js';

const { component, ...props } = Object.fromEntries(new URLSearchParams(location.search));
const Component = { TerminationFlow, TimeOffFlow }[component];
globalThis.told = [];
const note = (event) => globalThis.told.push(event);

createRoot(document.getElementById('root')).render(
  <GustoProvider config={{ baseUrl: `${location.origin}/api/` }}>
    <Component {...props} onEvent={note} />
  </GustoProvider>,
);
