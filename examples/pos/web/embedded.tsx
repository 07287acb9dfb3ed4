// The published components, in the colours of this point of sale: they are those of style.css, in light and in the dark.
import { GustoProvider } from '@gusto/embedded-react-sdk';
import type { ReactNode } from 'react';

const theme = {
  colorBody: 'var(--paper)',
  colorBodyAccent: 'var(--shade)',
  colorBodyContent: 'var(--ink)',
  colorBodySubContent: 'var(--faint)',
  colorPrimary: 'var(--accent)',
  colorPrimaryAccent: 'var(--accent-strong)',
  colorPrimaryContent: 'var(--on-accent)',
  colorSecondary: 'var(--paper)',
  colorSecondaryAccent: 'var(--shade)',
  colorSecondaryContent: 'var(--ink)',
  colorBorderPrimary: 'var(--line)',
  colorBorderSecondary: 'var(--line)',
  colorButtonIcon: 'var(--faint)',
  inputBackgroundColor: 'var(--paper)',
  inputBorderColor: 'var(--line)',
  inputContentColor: 'var(--ink)',
  inputLabelColor: 'var(--ink)',
  inputDescriptionColor: 'var(--faint)',
  inputDisabledBackgroundColor: 'var(--shade)',
  focusRingColor: 'var(--accent)',
  fontFamily: 'system-ui, sans-serif',
};

/** Their calls go to the proxy of this page's own server. */
const config = { baseUrl: `${location.origin}/payroll/` };

export const Embedded = ({ children }: { children: ReactNode }) => <GustoProvider config={config} theme={theme}>{children}</GustoProvider>;
