// A form whose fields are a list, and a button that says what went wrong.
import { useState, type FormEvent, type ReactNode } from 'react';

export interface Field {
  name: string;
  label: string;
  type?: string;
  value?: string;
}

/** Runs what a button or form is for, and keeps what went wrong. */
export function useAct(act: (values: Record<string, string>) => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const run = async (values: Record<string, string> = {}) => {
    setBusy(true);
    setFault('');
    try {
      await act(values);
      return true;
    } catch (error) {
      setFault((error as Error).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, fault, run };
}

const Fault = ({ text }: { text: string }) => (text ? <p role="alert" className="fault">{text}</p> : null);

export function Form({ fields, submit, onSubmit }: { fields: Field[]; submit: string; onSubmit: (values: Record<string, string>) => Promise<unknown> }) {
  const { busy, fault, run } = useAct(onSubmit);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    void run(Object.fromEntries(new FormData(form)) as Record<string, string>).then((done) => done && form.reset());
  };
  return (
    <form onSubmit={send} className="fields">
      {fields.map(({ name, label, type = 'text', value }) => (
        <label key={name}>
          {label}
          <input name={name} type={type} defaultValue={value} required />
        </label>
      ))}
      <Fault text={fault} />
      <button disabled={busy}>{submit}</button>
    </form>
  );
}

export function Button({ children, act }: { children: ReactNode; act: () => Promise<unknown> }) {
  const { busy, fault, run } = useAct(act);
  return (
    <>
      <button disabled={busy} onClick={() => run()}>{children}</button>
      <Fault text={fault} />
    </>
  );
}
