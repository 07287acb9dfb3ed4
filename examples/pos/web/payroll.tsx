import { Payroll } from '@gusto/embedded-react-sdk';

export const RunPayroll = ({ companyId }: { companyId: string }) => <Payroll.PayrollFlow companyId={companyId} onEvent={() => {}} />;
