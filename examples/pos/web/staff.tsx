// What an employee gets to see: the hosted pages, inside the point of sale. The server knows by the code whose they are, and
// leads the frame to a link that was made for it.
export const Staff = ({ code }: { code: string }) => (
  <>
    <header><b>Mesa</b><span>Your payroll</span></header>
    <iframe title="Your payroll" src={`/staff/${code}/hosted`} />
  </>
);
