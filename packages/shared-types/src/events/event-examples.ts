import type { AccountId } from '../ids.ts';
import { type EventData, type EventType, eventSchema } from './event.ts';

const idBody = '0199d4c5a1f07c3fb2e4d6a8c0e1f2';
const account_id = `acct_${idBody}04` as const;
const job_id = `vjob_${idBody}05` as const;

/** An event of each type, as the documentation shows it and a test event sends it. */
const examples: { readonly [Type in EventType]: Omit<EventData<Type>, 'account_id'> } = {
  'validation_job.finished': {
    job_id,
    name: 'customers.csv',
    state: 'succeeded',
    addresses: 120,
    done: 120,
    failure: null,
    results: { ok: 98, invalid: 20, unknown: 2 },
    spent: 118,
    seconds: 42,
  },
  'validation_job.needs_credits': {
    job_id,
    name: 'customers.csv',
    state: 'running',
    addresses: 120,
    done: 100,
    required: 20,
  },
  'export.finished': {
    export_id: `exp_${idBody}06`,
    name: 'customers.csv',
    target: 'csv',
    status: 'succeeded',
    failure: null,
    rows: { total: 120, delivered: 120, failed: 0, gone: 0 },
  },
  'discovery_run.finished': {
    run_id: `run_${idBody}07`,
    search_id: `srch_${idBody}08`,
    name: 'Engineers in Berlin',
    kind: 'people',
    state: 'succeeded',
    failure: null,
    requested: 25,
    delivered: 25,
    has_more: true,
    spent: 25,
  },
  'crm_import.finished': {
    import_id: `crmimp_${idBody}09`,
    name: 'HubSpot contacts',
    job_id,
    state: 'succeeded',
    failure: null,
    records: 120,
    rows_written: 120,
    list_id: null,
    domains_added: 0,
    seconds: 75,
  },
  'people_import.finished': {
    import_id: `pimp_${idBody}0b`,
    name: 'contacts.csv',
    state: 'succeeded',
    failure: null,
    list_id: null,
    rows: { total: 120, added: 100, changed: 12, refused: 3 },
  },
  'credits.low': { available: 60, held: 20, threshold: 100 },
  'webhook_endpoint.test': { endpoint_id: `hook_${idBody}0a` },
};

/** The example of an event, with the id of the account that it is for and what else is known about it. */
export function exampleEvent(
  type: EventType,
  known: { readonly timestamp?: string; readonly test?: true; readonly data?: object } = {},
) {
  const { timestamp = '2026-11-27T10:00:00.000Z', test, data } = known;
  return eventSchema(type).parse({
    type,
    timestamp,
    ...(test && { test }),
    data: { account_id: account_id as AccountId, ...examples[type], ...data },
  });
}
