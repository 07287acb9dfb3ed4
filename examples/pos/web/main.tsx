import '@gusto/embedded-react-sdk/style.css';
import './style.css';
import { Suspense, lazy } from 'react';
import { createRoot } from 'react-dom/client';
import { takeTimeOfService } from './clock';
import { Staff } from './staff';

// What is loaded from here on knows the service's time.
const Owner = lazy(() => takeTimeOfService().then(() => import('./owner')));

const [, area, code] = location.pathname.split('/');
const page = area === 'staff' && code ? <Staff code={code} /> : <Suspense><Owner /></Suspense>;
createRoot(document.getElementById('root')!).render(page);
