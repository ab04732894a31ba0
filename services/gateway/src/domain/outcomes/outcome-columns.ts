/** The column of each field in a file of outcomes. Columns count from 0. */
export interface OutcomeColumns {
  readonly email: number;
  readonly outcome: number;
  readonly date: number | undefined;
  readonly code: number | undefined;
  readonly text: number | undefined;
}

/** What people and mail services call each column, in lower case and letters only. */
const names = {
  email: [
    'email',
    'mail',
    'emailaddress',
    'mailaddress',
    'address',
    'recipient',
    'recipientemail',
    'recipientaddress',
    'to',
    'toemail',
    'rcpt',
    'rcptto',
    'contact',
    'contactemail',
  ],
  outcome: [
    'outcome',
    'status',
    'event',
    'eventtype',
    'eventname',
    'result',
    'type',
    'deliverystatus',
    'state',
  ],
  date: [
    'date',
    'time',
    'datetime',
    'timestamp',
    'observedat',
    'occurredat',
    'eventtime',
    'eventdate',
    'eventat',
    'sentat',
    'senton',
    'sentdate',
    'createdat',
    'processed',
    'deliveredat',
    'bouncedat',
  ],
  code: [
    'code',
    'smtpcode',
    'statuscode',
    'replycode',
    'responsecode',
    'bouncecode',
    'errorcode',
    'dsncode',
    'dsnstatus',
    'enhancedcode',
    'enhancedstatuscode',
  ],
  text: [
    'dsn',
    'dsntext',
    'dsndiag',
    'dsndiagnostic',
    'text',
    'diagnostic',
    'diagnosticcode',
    'bouncemessage',
    'bouncereason',
    'bouncedescription',
    'message',
    'reason',
    'response',
    'smtpresponse',
    'error',
    'errormessage',
    'description',
    'details',
  ],
} as const satisfies Readonly<Record<keyof OutcomeColumns, readonly string[]>>;

export type FoundColumns = { readonly columns: OutcomeColumns } | { readonly fault: string };

const titlesShownMax = 20;
const titleCharactersMax = 40;

/** Finds the columns by their header names; if several match, the first name in the list wins. */
export function findOutcomeColumns(header: readonly string[]): FoundColumns {
  const titles = header.map(lettersOf);
  const find = (column: keyof OutcomeColumns) => {
    const name = names[column].find(candidate => titles.includes(candidate));
    return name === undefined ? undefined : titles.indexOf(name);
  };
  const email = find('email');
  const outcome = find('outcome');
  if (email === undefined || outcome === undefined) {
    const missing =
      email === undefined ? 'for the address, such as `email`' : 'for the outcome, such as `outcome`';
    const shown = header
      .slice(0, titlesShownMax)
      .map(title => `"${title.slice(0, titleCharactersMax).replace(/\p{Cc}/gu, '')}"`)
      .join(', ');
    return { fault: `The header has no column ${missing}. Its columns are: ${shown || 'none'}.` };
  }
  return { columns: { email, outcome, date: find('date'), code: find('code'), text: find('text') } };
}

function lettersOf(title: string): string {
  return title.toLowerCase().replace(/[^a-z]/g, '');
}
