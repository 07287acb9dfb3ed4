import { call, useServer } from './call';
import { Button, Form, type Field } from './form';

interface Member {
  uuid: string;
  name: string;
  title?: string;
  status?: string;
  waiting: boolean;
  address: string;
}

const WEEK_MS = 7 * 86_400_000;
const FIELDS: Field[] = [
  { name: 'firstName', label: 'First name' },
  { name: 'lastName', label: 'Last name' },
  { name: 'email', label: 'E-mail', type: 'email' },
  { name: 'title', label: 'Job', value: 'Line cook' },
  { name: 'rate', label: 'Pay an hour', value: '19.50' },
  { name: 'startDate', label: 'First day', type: 'date', value: new Date(Date.now() - 2 * WEEK_MS).toISOString().slice(0, 10) },
];

const words = (status = '') => status.replace(/^(self|admin)_onboarding_/, '').replaceAll('_', ' ');

export function Team() {
  const [team, again] = useServer<Member[]>('/pos/team');
  const act = (method: string, path: string) => async (body: unknown) => {
    await call(method, path, body);
    again();
  };
  const approve = act('POST', '/pos/approve');
  return (
    <>
      <h1>Team</h1>
      <table>
        <thead><tr><th>Name</th><th>Job</th><th>Onboarding</th><th>Their page</th></tr></thead>
        <tbody>
          {team?.map(({ uuid, name, title, status, waiting, address }) => (
            <tr key={uuid}>
              <td>{name}</td>
              <td>{title}</td>
              <td>{words(status)} {waiting && <Button act={() => approve({ employee: uuid })}>Approve</Button>}</td>
              <td><a href={address} target="_blank">{`Send this to ${name.split(' ')[0]}`}</a></td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Hire somebody</h2>
      <Form fields={FIELDS} submit="Hire" onSubmit={act('POST', '/pos/team')} />
    </>
  );
}
