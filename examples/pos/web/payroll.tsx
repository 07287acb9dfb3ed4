import { Payroll } from '@gusto/embedded-react-sdk';
import { Embedded } from './embedded';

const RunPayroll = ({ companyId }: { companyId: string }) => (
  <Embedded>
    <Payroll.PayrollFlow companyId={companyId} onEvent={() => {}} />
  </Embedded>
);
export default RunPayroll;
