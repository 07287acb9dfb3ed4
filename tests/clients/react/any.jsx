// The page of a partner with any of the published components of the release that this folder names.
import '@gusto/embedded-react-sdk/style.css';
import * as sdk from '@gusto/embedded-react-sdk';
import { Suspense, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { show } from './show.mjs';

show(sdk, createRoot, { createElement, Suspense });
