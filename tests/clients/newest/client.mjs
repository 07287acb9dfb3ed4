// The typed client with which the newest components are bundled.
import { readFile } from 'node:fs/promises';

// The release names a preview of its typed client that no registry has. The last one that there is serves, but for one list, and for
// the fields of hours and amounts by workweek, which it would leave out: they are added as the components read and write them.
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const days = JSON.stringify(Object.fromEntries(DAYS.map((day) => [day, day])));
const WEEK = "z.object({ start_date: z.string(), end_date: z.string(), hours: z.string().optional(), amount: z.string().optional() })"
  + ".transform(({ start_date: startDate, end_date: endDate, ...rest }) => ({ startDate, endDate, ...rest }))";
const SENT = "z.array(z.any()).optional().transform((weeks) => weeks?.map(({ startDate, endDate, ...rest }) => "
  + "({ start_date: startDate.toString(), end_date: endDate.toString(), ...rest })))";
const read = (schema, fields) => (text) => text.replace(new RegExp(`(\\b${schema}\\$(?:in|out)boundSchema = z\\.object\\(\\{)`), `$1${fields},`);
const breakdowns = `breakdowns: z.array(${WEEK}).optional()`;

// By file: what its text becomes.
const LACKING = {
  payschedulecreaterequest: [(text) => `${text}\nexport const WorkweekStartDay = ${days};`],
  payrollshow: [read('PayrollPrepared', `workweeks: z.array(${WEEK}).optional()`), ...lines('PayrollShow')],
  payrollemployeecompensationstype: lines(''),
  payrollunprocessedemployeecompensationstype: lines('PayrollUnprocessedEmployeeCompensationsType'),
  payrollupdate: ['Hourly', 'Fixed'].map((kind) => read(`PayrollUpdate${kind}Compensations`, `breakdowns: ${SENT}`)),
  earningtype: [(text) => text.replace('active: z', 'includedInOvertimePay: z.any(), included_in_overtime_pay: z.boolean().optional(), active: z')
    .replace(/(active: z\.boolean\(\)\.optional\(\),\s*\}\))/, '$1.transform((type) => ({ ...type, includedInOvertimePay: type.included_in_overtime_pay }))')],
};

function lines(prefix) {
  return ['Hourly', 'Fixed'].map((kind) => read(`${prefix}${kind}Compensations`, breakdowns));
}

export const client = {
  name: 'what the typed client lacks',
  setup: (build) => build.onLoad({ filter: new RegExp(`embedded-api/esm/models/components/(${Object.keys(LACKING).join('|')})\\.js$`) }, async ({ path }) => {
    const changes = LACKING[/(\w+)\.js$/.exec(path)[1]];
    return { contents: changes.reduce((text, change) => change(text), await readFile(path, 'utf8')), loader: 'js' };
  }),
};
