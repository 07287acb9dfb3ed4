import { CompanyOnboarding } from '@gusto/embedded-react-sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ComponentType } from 'react';
import { addressOf, useAddress } from './address';
import { call, useServer } from './call';
import { Embedded } from './embedded';
import { Button } from './form';

interface Progress {
  signatoryId?: string;
  approved: boolean;
  steps: { id: string; title: string; completed: boolean }[];
}
interface Deposits {
  deposit_1: string;
  deposit_2: string;
}
type Component = ComponentType<{ companyId: string; signatoryId?: string; onEvent: () => void }>;

const { BankAccount, StateTaxes, DocumentSigner } = CompanyOnboarding;

/** The steps that the owner takes here; the others were done when the restaurant signed up, or are done on Team. */
const COMPONENTS: Record<string, Component> = {
  add_bank_info: BankAccount,
  verify_bank_info: BankAccount,
  state_setup: StateTaxes,
  sign_all_forms: DocumentSigner,
};

const Setup = ({ companyId }: { companyId: string }) => <Embedded><Steps companyId={companyId} /></Embedded>;
export default Setup;

function Steps({ companyId }: { companyId: string }) {
  const [progress, again] = useServer<Progress>('/pos/setup');
  const [tab, step] = useAddress();
  const [deposits, setDeposits] = useState<Deposits>();
  // What the components have read: changed past them, it has to be read again.
  const queries = useQueryClient();
  const playBank = async () => {
    const sent = await call<Deposits>('POST', '/pos/test-deposits');
    await queries.invalidateQueries();
    setDeposits(sent);
  };
  if (!progress) return null;
  const open = progress.steps.filter(({ completed }) => !completed);
  const Shown = COMPONENTS[step];
  return (
    <>
      <h1>Before the first payroll</h1>
      <ul className="steps">
        {progress.steps.map(({ id, title, completed }) => (
          <li key={id} data-done={completed || undefined}>
            {COMPONENTS[id] ? <a href={addressOf(tab, id)} aria-current={id === step ? 'step' : undefined}>{title}</a> : title}
          </li>
        ))}
      </ul>
      {step === 'verify_bank_info' && open.some(({ id }) => id === step) && (
        <aside>
          The bank sends two small amounts, which prove that the account is yours.{' '}
          <Button act={playBank}>Play the bank</Button>
          {deposits && <output>{`Your statement shows $${deposits.deposit_1} and $${deposits.deposit_2}.`}</output>}
        </aside>
      )}
      {Shown && <section key={step + deposits?.deposit_1}><Shown companyId={companyId} signatoryId={progress.signatoryId} onEvent={again} /></section>}
      {open.length === 0 && !progress.approved && (
        <Button act={() => call('POST', '/pos/finish', {}).then(again)}>Finish</Button>
      )}
      {progress.approved && <p role="status">All done: payroll can be run.</p>}
    </>
  );
}
