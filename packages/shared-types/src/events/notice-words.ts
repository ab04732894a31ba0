import { withCommas } from '../with-commas.ts';
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

const counted = (count: number, one: string, many = `${one}s`) =>
  `${withCommas(count)} ${count === 1 ? one : many}`;
const ofState = { succeeded: 'is finished', failed: 'has failed', cancelled: 'was canceled' } as const;
const endOf = (state: string) => ofState[state as keyof typeof ofState] ?? 'has ended';

/** A longer name is cut in a subject, whose end says what happened. */
const shownMax = 50;

/** ` “Customers”`, to follow a noun; nothing for work without a name. */
function named(name: string | null | undefined): string {
  const characters = Array.from(name ?? '');
  if (characters.length === 0) return '';
  const shown =
    characters.length > shownMax
      ? `${characters
          .slice(0, shownMax - 1)
          .join('')
          .trimEnd()}…`
      : name;
  return ` “${shown}”`;
}

/**
 * What a notice says: names, counts and states. It names no address, because a mail passes other systems; an event
 * has none in a name (`nameInEvent`).
 */
const words: { readonly [Type in SubscribedEventType]: (data: DataOf<Type>) => NoticeWords } = {
  'validation_job.finished': ({ job_id, name, state, addresses, done, results }) => ({
    subject: `Your list${named(name)} ${endOf(state)}`,
    text: `The list${named(name)} with ${counted(addresses, 'address', 'addresses')} ${endOf(state)}. ${withCommas(done)} ${done === 1 ? 'has' : 'have'} a result; ${counted(results.ok ?? 0, 'row is', 'rows are')} OK.`,
    action: 'Open the list',
    path: `/validations/${job_id}`,
  }),
  'validation_job.needs_credits': ({ job_id, name, required }) => ({
    subject: `Your list${named(name)} needs credits`,
    text: `The list${named(name)} stopped because the account has too few credits. The remaining addresses cost at most ${counted(required, 'credit')}.`,
    action: 'Open the list',
    path: `/validations/${job_id}`,
  }),
  'export.finished': ({ export_id, name, target, status, rows }) => ({
    subject: `Your ${target === 'csv' ? 'export' : 'push'}${named(name)} ${endOf(status)}`,
    text: `The ${target === 'csv' ? 'export' : 'push'}${named(name)} ${endOf(status)}: ${withCommas(rows.delivered)} of ${counted(rows.total, 'row was', 'rows were')} ${target === 'csv' ? 'written' : 'delivered'}${rows.failed > 0 ? `, and ${withCommas(rows.failed)} failed` : ''}.`,
    action: target === 'csv' ? 'Open the export' : 'Open the push',
    path: `/exports/${export_id}`,
  }),
  'discovery_run.finished': ({ search_id, name, kind, state, requested, delivered }) => ({
    subject: `Your search for ${kind}${named(name)} ${endOf(state)}`,
    text: `A run of the search${named(name)} ${endOf(state)}: ${withCommas(delivered)} of ${counted(requested, 'requested record is', 'requested records are')} saved.`,
    action: 'Open the search',
    path: `/${kind}/${search_id}`,
  }),
  'crm_import.finished': ({ import_id, name, state, records, rows_written, list_id, domains_added }) => ({
    subject: `Your import from a CRM${named(name)} ${endOf(state)}`,
    text: `The import${named(name)} of ${counted(records, 'record')} from a CRM ${endOf(state)}. ${
      list_id == null
        ? `The results of ${counted(rows_written, 'record')} were written back.`
        : `${counted(domains_added, 'company was', 'companies were')} added to the list.`
    }`,
    action: 'Open the import',
    path: `/integrations/imports/${import_id}`,
  }),
  'people_import.finished': ({ import_id, name, state, rows }) => ({
    subject: `Your import of people${named(name)} ${endOf(state)}`,
    text: `The import${named(name)} of ${counted(rows.total, 'row')} ${endOf(state)}: ${counted(rows.added, 'person was', 'people were')} added, ${withCommas(rows.changed)} changed, and ${counted(rows.refused, 'row was', 'rows were')} refused.`,
    action: 'Open the import',
    path: `/saved/imports/${import_id}`,
  }),
  'credits.low': ({ available, held, threshold }) => ({
    subject: 'Your credits are low',
    text: `Your account has ${counted(available, 'available credit')} and ${withCommas(held)} held by work in progress: together less than its threshold of ${withCommas(threshold)}.`,
    action: 'Open the plan',
    path: '/account',
  }),
};

/** Says a notice. */
export function noticeWords({ type, data }: Told): NoticeWords {
  // The data of a notice belongs to its type.
  return (words[type] as (data: unknown) => NoticeWords)(data);
}
