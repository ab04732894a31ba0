import type { SubscribedEventType } from './event.ts';
import type { Notice } from './notice.ts';

/** What a notice tells. */
interface Told {
  readonly type: SubscribedEventType;
  /** That of its type. */
  readonly data: object;
}
type DataOf<Type extends SubscribedEventType> = Extract<Notice, { readonly type: Type }>['data'];

/** A notice in words. */
export interface NoticeWords {
  readonly subject: string;
  readonly text: string;
  readonly action: string;
  /** The screen of the application that shows it. */
  readonly path: string;
}

const number = (count: number) => count.toLocaleString('en');
const counted = (count: number, one: string, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`;
const ofState = { succeeded: 'is finished', failed: 'has failed', cancelled: 'was canceled' } as const;
const endOf = (state: string) => ofState[state as keyof typeof ofState] ?? 'has ended';

/** What a notice says: counts and states. It names no file and no address, because a mail passes other systems. */
const words: { readonly [Type in SubscribedEventType]: (data: DataOf<Type>) => NoticeWords } = {
  'validation_job.finished': ({ job_id, state, addresses, done, results }) => ({
    subject: `Your list ${endOf(state)}`,
    text: `A list with ${counted(addresses, 'address', 'addresses')} ${endOf(state)}. ${number(done)} ${done === 1 ? 'has' : 'have'} a result; ${counted(results.ok ?? 0, 'row is', 'rows are')} OK.`,
    action: 'Open the list',
    path: `/validations/${job_id}`,
  }),
  'validation_job.needs_credits': ({ job_id, required }) => ({
    subject: 'A list needs credits',
    text: `A list stopped because the account has too few credits. The remaining addresses cost at most ${counted(required, 'credit')}.`,
    action: 'Open the list',
    path: `/validations/${job_id}`,
  }),
  'export.finished': ({ export_id, status, rows }) => ({
    subject: `Your export ${endOf(status)}`,
    text: `An export ${endOf(status)}: ${number(rows.delivered)} of ${counted(rows.total, 'row was', 'rows were')} delivered${rows.failed > 0 ? `, and ${number(rows.failed)} failed` : ''}.`,
    action: 'Open the export',
    path: `/exports/${export_id}`,
  }),
  'discovery_run.finished': ({ search_id, kind, state, requested, delivered }) => ({
    subject: `Your search for ${kind} ${endOf(state)}`,
    text: `A run ${endOf(state)}: ${number(delivered)} of ${counted(requested, 'requested record is', 'requested records are')} saved.`,
    action: 'Open the search',
    path: `/${kind}/${search_id}`,
  }),
  'crm_import.finished': ({ import_id, state, records, rows_written }) => ({
    subject: `Your import from a CRM ${endOf(state)}`,
    text: `An import of ${counted(records, 'record')} from a CRM ${endOf(state)}. The results of ${counted(rows_written, 'record')} were written back.`,
    action: 'Open the import',
    path: `/integrations/imports/${import_id}`,
  }),
  'credits.low': ({ available, held, threshold }) => ({
    subject: 'Your credits are low',
    text: `Your account has ${number(available)} available credits and ${number(held)} held by work in progress: together less than its threshold of ${number(threshold)}.`,
    action: 'Open the plan',
    path: '/account',
  }),
};

/** Says a notice. */
export function noticeWords({ type, data }: Told): NoticeWords {
  // The data of a notice belongs to its type.
  return (words[type] as (data: unknown) => NoticeWords)(data);
}
