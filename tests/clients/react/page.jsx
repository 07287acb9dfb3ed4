// The page of a partner: one of the published components, as its address asks for. What the component tells its
// surroundings is kept for the tests.
import '@gusto/embedded-react-sdk/style.css';
import { Employee, GustoProvider } from '@gusto/embedded-react-sdk';
import { createRoot } from 'react-dom/client';

const { component, ...props } = Object.fromEntries(new URLSearchParams(location.search));
const Component = Employee[component];
globalThis.told = [];
const note = (event) => globalThis.told.push(event);

createRoot(document.getElementById('root')).render(
  <GustoProvider config={{ baseUrl: `${location.origin}/api/` }}>
    <Component {...props} onEvent={note} />
  </GustoProvider>,
);
