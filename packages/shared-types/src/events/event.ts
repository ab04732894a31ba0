import { z } from 'zod';
import { crmImportFailures, crmImportStates } from '../crm/crm-import.ts';
import { runFailures, runStates, searchKinds } from '../discovery/discovery-run.ts';
import { peopleImportFailures, peopleImportStates } from '../discovery/people-import.ts';
import { exportFailures, exportStatuses, exportTargets } from '../exports/export.ts';
import {
  accountId,
  crmImportId,
  discoveryRunId,
  discoverySearchId,
  eventId,
  exportId,
  peopleImportId,
  savedListId,
  validationJobId,
  webhookEndpointId,
} from '../ids.ts';
import { validationJobFailures, validationJobStates } from '../validation-jobs/validation-job.ts';
import { validationResults } from '../verdict.ts';

const count = z.int().nonnegative();
const credits = z.int().nonnegative();
const account = { account_id: accountId };
const seconds = count
  .nullable()
  .default(null)
  .describe(
    'Seconds from its start to its end; null if it never started, or if an earlier release recorded it.',
  );

/** Longest name of an event, in characters. */
const nameCharactersMax = 100;

/**
 * The name of a list, export, search or import, as an event tells it: one line of bounded length, without characters
 * that change how text around it is read, and without addresses. Null if nothing is left. Idempotent: of a told name it
 * is the same name, which events require.
 */
export function nameInEvent(name: string): string | null {
  const line = withoutAddresses(
    name
      .normalize('NFC')
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .trim(),
  );
  const characters = Array.from(line);
  // What ends with `@` was no address, but would be read as one with the ellipsis.
  const cut =
    characters.length > nameCharactersMax
      ? withoutAddresses(`${characters.slice(0, nameCharactersMax - 1).join('')}…`)
      : line;
  return cut === '' ? null : cut;
}

/** Replaces words with an address as a whole: one can hold several, as in `ada@one.example,bob@two.example`. */
function withoutAddresses(line: string): string {
  return line
    .split(' ')
    .map(word => (/.@./u.test(word) ? '…' : word))
    .join(' ');
}

const name = z
  .string()
  // An event with another name is not delivered, so that no service can leak an address this way.
  .refine(given => given === nameInEvent(given))
  .nullable()
  .default(null)
  .describe(
    'Its name, in one line of at most 100 characters; an address in it is replaced by “…”. Null if an earlier release recorded it.',
  );

/** A reason by its code, from a table of reasons with their texts. */
function failureOf<Reason extends string>(reasons: Readonly<Record<Reason, string>>) {
  return z
    .enum(Object.keys(reasons) as [Reason, ...Reason[]])
    .nullable()
    .describe('Why it failed; otherwise null.');
}

const jobParts = {
  ...account,
  job_id: validationJobId,
  name,
  state: z.enum(validationJobStates),
  addresses: count.describe('Distinct addresses of the job.'),
  done: count.describe('Addresses with a verdict.'),
};

/**
 * What an event says, by the event's type: ids, names that users gave, counts and states, and never an address.
 * An event tells that something happened; details are read with the API (ADR 0070).
 */
export const eventData = {
  'validation_job.finished': z
    .object({
      ...jobParts,
      failure: failureOf(validationJobFailures),
      results: z.partialRecord(z.enum(validationResults), count).describe('Rows by result.'),
      spent: credits.describe('Credits charged.'),
      seconds,
    })
    .meta({ id: 'ValidationJobFinished' }),
  'validation_job.needs_credits': z
    .object({
      ...jobParts,
      required: credits.describe('Most credits that the remaining addresses cost.'),
    })
    .meta({ id: 'ValidationJobNeedsCredits' }),
  'export.finished': z
    .object({
      ...account,
      export_id: exportId,
      name,
      target: z.enum(exportTargets),
      status: z.enum(exportStatuses),
      failure: failureOf(exportFailures),
      rows: z.object({ total: count, delivered: count, failed: count, gone: count }),
    })
    .meta({ id: 'ExportFinished' }),
  'discovery_run.finished': z
    .object({
      ...account,
      run_id: discoveryRunId,
      search_id: discoverySearchId,
      name,
      kind: z.enum(searchKinds),
      state: z.enum(runStates),
      failure: failureOf(runFailures),
      requested: count,
      delivered: count,
      has_more: z.boolean().nullable().describe('Whether the search has more to deliver.'),
      spent: credits.describe('Credits charged.'),
    })
    .meta({ id: 'DiscoveryRunFinished' }),
  'crm_import.finished': z
    .object({
      ...account,
      import_id: crmImportId,
      name,
      job_id: validationJobId.nullable().describe('The validation job of its records; null if it has none.'),
      state: z.enum(crmImportStates),
      failure: failureOf(crmImportFailures),
      records: count.describe('Records read from the CRM.'),
      rows_written: count.describe('Records whose results were written back to the CRM.'),
      list_id: savedListId
        .nullable()
        .default(null)
        .describe('The list that the companies of its records are added to; null if it has none.'),
      domains_added: count.default(0).describe('Company domains that were added to the list.'),
      seconds,
    })
    .meta({ id: 'CrmImportFinished' }),
  'people_import.finished': z
    .object({
      ...account,
      import_id: peopleImportId,
      name,
      state: z.enum(peopleImportStates),
      failure: failureOf(peopleImportFailures),
      list_id: savedListId.nullable().describe('The list that the people were put into.'),
      rows: z.object({
        total: count.describe('Rows of the file.'),
        added: count.describe('People who are new to the account.'),
        changed: count.describe('People imported before, with new values.'),
        refused: count.describe('Rows that were left out.'),
      }),
    })
    .meta({ id: 'PeopleImportFinished' }),
  'credits.low': z
    .object({
      ...account,
      available: credits.describe('Available credits at that moment.'),
      held: credits.describe('Credits held by work in progress.'),
      threshold: credits.describe('The account’s threshold.'),
    })
    .meta({ id: 'CreditsLow' }),
  'webhook_endpoint.test': z
    .object({ ...account, endpoint_id: webhookEndpointId })
    .meta({ id: 'WebhookEndpointTest' }),
} as const;

export type EventType = keyof typeof eventData;

/** What happened, in words. */
export const eventTitles: Readonly<Record<EventType, string>> = {
  'validation_job.finished': 'A validation job has ended: it succeeded, failed, or was canceled',
  'validation_job.needs_credits': 'A validation job stops because the account has too few credits',
  'export.finished': 'An export has ended: its file is ready, or its rows were delivered or failed',
  'discovery_run.finished': 'A run that saves people or companies has ended',
  'crm_import.finished':
    'An import from a CRM has ended: its records are validated and written back if requested, or their companies are on a list, or it failed',
  'people_import.finished':
    'An import of people from a file has ended: it succeeded, failed or was canceled, or its preview failed',
  'credits.low': 'The credits, available and held together, have fallen below the account’s threshold',
  'webhook_endpoint.test': 'A test that a user or program requested',
};

const allTypes = Object.keys(eventData) as [EventType, ...EventType[]];

/** The types that an endpoint can subscribe to; a test reaches the endpoint that it is requested for. */
export const subscribedEventTypes = allTypes.filter(type => type !== 'webhook_endpoint.test') as [
  Exclude<EventType, 'webhook_endpoint.test'>,
  ...Exclude<EventType, 'webhook_endpoint.test'>[],
];

export type SubscribedEventType = (typeof subscribedEventTypes)[number];

export const eventType = z.enum(allTypes);

function schemaOf(type: EventType) {
  const data = eventData[type];
  return z
    .object({
      type: z.literal(type),
      timestamp: z.iso.datetime().describe('When it happened.'),
      test: z
        .boolean()
        .optional()
        .describe('True for a test event, which tells nothing that happened; otherwise left out.'),
      data,
    })
    .meta({ id: `${data.meta()?.id}Event` });
}

const eventSchemas = Object.fromEntries(allTypes.map(type => [type, schemaOf(type)])) as Record<
  EventType,
  ReturnType<typeof schemaOf>
>;

/** An event of this type, as an endpoint receives it. */
export function eventSchema(type: EventType) {
  return eventSchemas[type];
}

/** An event as the service records it in which it happened, in the transaction of the change that it tells. */
export const recordedEvent = z.object({
  event_id: eventId,
  account_id: accountId,
  // A newer release may record a type that this one does not know.
  type: z.string(),
  happened_at: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

export type RecordedEvent = z.output<typeof recordedEvent>;

/** The data of an event, before it is recorded. */
export type EventData<Type extends EventType> = z.input<(typeof eventData)[Type]>;
