import { call } from './call';
import { Form, type Field } from './form';

const FIELDS: Field[] = [
  { name: 'restaurant', label: 'Restaurant', value: 'Luz Kitchen' },
  { name: 'ein', label: 'Employer identification number', value: '74-2201187' },
  { name: 'street', label: 'Street', value: '410 South Alamo Street' },
  { name: 'city', label: 'City', value: 'San Antonio' },
  { name: 'state', label: 'State', value: 'TX' },
  { name: 'zip', label: 'Zip', value: '78205' },
  { name: 'phone', label: 'Phone', value: '2105550143' },
  { name: 'firstName', label: 'Your first name', value: 'Elena' },
  { name: 'lastName', label: 'Your last name', value: 'Marsh' },
  { name: 'email', label: 'Your e-mail', type: 'email', value: 'elena@luz.example' },
];

export const SignUp = ({ onDone }: { onDone: () => void }) => (
  <main className="narrow">
    <h1>Payroll in your point of sale</h1>
    <p>Mesa knows your restaurant already. Look it over, and you can hire.</p>
    <Form fields={FIELDS} submit="Sign up" onSubmit={async (values) => {
      await call('POST', '/pos/sign-up', values);
      onDone();
    }} />
  </main>
);
