import { z } from 'zod';
import { oneLine, oneLineFault } from '../discovery/filter-parts.ts';
import { creatorId, crmConnectionId, crmImportId, exportId, savedListId, validationJobId } from '../ids.ts';
import { limits } from '../limits.ts';
import { exportedVerdictFields } from '../validation-jobs/validation-job.ts';
import { crmFieldMapping, crmFieldsMax } from './crm-mapping.ts';
import { crmObjects } from './crm-object.ts';

/** The states of an import; the last three are final. */
export const crmImportStates = [
  'queued',
  'reading',
  'ready',
  'validating',
  'writing_back',
  'succeeded',
  'failed',
  'cancelled',
] as const;

export type CrmImportState = (typeof crmImportStates)[number];

/** The reasons why an import is paused. An import that continues automatically records when. */
export const crmImportPauseReasons = {
  crm_asked: 'The CRM is rate limiting requests. The import continues automatically.',
  crm_exhausted: 'The CRM’s daily API limit is used up. The import continues automatically.',
  crm_away: 'The CRM is not responding. The import continues automatically.',
  too_many_unstarted_jobs:
    'Too many validation jobs are waiting to start. Start or delete some; the import then continues automatically.',
  not_started: 'The records have been read. Review the validation job and its price, then start it.',
  price_above_limit:
    'Validation costs more than `credits_max`. Start the validation job yourself to accept the price.',
  too_few_credits: 'Not enough credits to validate. The import continues automatically once you add credits.',
  too_many_jobs: 'Too many validation jobs are in progress. The import continues automatically.',
  too_many_exports: 'Too many exports are in progress. The import continues automatically.',
} as const;

export type CrmImportPauseReason = keyof typeof crmImportPauseReasons;

/** The reasons why an import failed. A validation job that it created is kept, with its results. */
export const crmImportFailures = {
  connection_gone: 'The CRM was disconnected.',
  access_revoked: 'The CRM has revoked access. Reconnect it, then start another import.',
  not_permitted: 'The CRM denied access to these records. The user who connected it may lack permission.',
  selection_gone: 'The segment or a property no longer exists in the CRM.',
  refused_by_crm: 'The CRM rejected the query. Choose other filters.',
  crm_away_too_long: 'The CRM was unavailable for two days.',
  nothing_to_import: 'No matching records were left when the import read them.',
  no_addresses_found: 'None of the records has an email address in the selected property.',
  no_domains_found: 'None of the records has a company domain in the selected property.',
  list_gone: 'The list was deleted.',
  list_full:
    'The list has no room for these companies, so none was added. Remove domains from it, or choose another list.',
  too_many_records: 'More records matched than one import can read.',
  too_much_text:
    'The records contain more text than a validation job can hold. Choose fewer properties or fewer records.',
  too_many_unstarted_jobs: 'Too many validation jobs were waiting to start for two days.',
  job_gone: 'The validation job was deleted.',
  validation_failed:
    'The validation job failed; see the job for the reason. Nothing was written back. You can export the validated rows.',
  validation_cancelled:
    'The validation job was canceled. Nothing was written back. You can export the validated rows.',
  write_back_failed: 'The export that writes the results back failed; see the export for the reason.',
  could_not_continue: 'The import failed repeatedly.',
} as const;

export type CrmImportFailure = keyof typeof crmImportFailures;

/** The column before the properties: the record's id in the CRM. */
export const crmRecordIdColumn = 'crm_record_id';

/** Most properties that become columns, in addition to the record's id. */
export const crmImportPropertiesMax = limits.jobColumnsMax - 1;

const propertyName = z
  .string()
  .min(1)
  .max(255)
  .regex(oneLine, oneLineFault)
  .describe('Name of a CRM property.');

/** The filter operators, each with the minimum and maximum number of values. */
const filterValues = {
  is: [1, 1],
  is_not: [1, 1],
  is_one_of: [1, 100],
  is_known: [0, 0],
  is_unknown: [0, 0],
  above: [1, 1],
  below: [1, 1],
  contains: [1, 1],
} as const;

type CrmFilterOperator = keyof typeof filterValues;

/** A condition that records must meet. */
export const crmFilter = z
  .strictObject({
    property: propertyName,
    operator: z.enum(Object.keys(filterValues) as [CrmFilterOperator, ...CrmFilterOperator[]]),
    values: z
      .array(z.string().min(1).max(1_000).regex(oneLine, oneLineFault))
      .max(100)
      .optional()
      .describe(
        'Values as the CRM writes them. One value; several for `is_one_of`; none for `is_known` and `is_unknown`.',
      ),
  })
  .superRefine(({ operator, values = [] }, context) => {
    const [min, max] = filterValues[operator];
    if (values.length < min || values.length > max) {
      context.addIssue({
        code: 'custom',
        path: ['values'],
        message: max === 0 ? 'must be omitted' : max === 1 ? 'must be one value' : 'must have a value',
      });
    }
  })
  .meta({ id: 'CrmFilter' });

/** Selects records by segment, by filters, or by both; without either, selects all records. */
export const crmImportSelection = z
  .strictObject({
    segment_id: z
      .string()
      .min(1)
      .max(255)
      .regex(oneLine, oneLineFault)
      .optional()
      .describe('A CRM list, segment or view.'),
    filters: z.array(crmFilter).max(20).optional().describe('All conditions must match.'),
  })
  .meta({ id: 'CrmImportSelection' });

/** The result columns that can be written back to records. */
export const writtenBackColumns = [...exportedVerdictFields, 'validated_at'] as const;

/** How results are written back to the imported records. */
export const crmWriteBack = z
  .strictObject({
    fields: z
      .array(crmFieldMapping.extend({ column: z.enum(writtenBackColumns) }))
      .min(1)
      .max(crmFieldsMax)
      .refine(
        fields => new Set(fields.map(({ property }) => property)).size === fields.length,
        'must name each property once',
      ),
  })
  .meta({ id: 'CrmWriteBack' });

/** The options of an import; its record contains them too. */
const importRequest = {
  connection_id: crmConnectionId,
  object: z.enum(crmObjects),
  selection: crmImportSelection,
  properties: z
    .array(propertyName)
    .min(1)
    .max(crmImportPropertiesMax)
    .refine(names => new Set(names).size === names.length, 'must name each property once')
    .describe('Properties that become columns, in this order, after the record id.'),
  address_property: propertyName.describe(
    'The property in `properties` that holds the email address; with `list_id`, the email address, domain or website.',
  ),
};

/** The options about the validation job, which an import into a list does not have. */
const ofValidation = ['start_when_ready', 'credits_max', 'write_back'] as const;

export const newCrmImport = z
  .strictObject({
    ...importRequest,
    name: z
      .string()
      .trim()
      .min(1)
      .max(limits.jobNameCharactersMax)
      .regex(oneLine, oneLineFault)
      .optional()
      .describe('Name of the import and its validation job. Generated if omitted.'),
    start_when_ready: z
      .boolean()
      .optional()
      .describe('If true, validation starts automatically when it costs no more than `credits_max`.'),
    credits_max: z
      .int()
      .nonnegative()
      .max(10_000_000)
      .optional()
      .describe('Most credits to reserve without further confirmation. Required with `start_when_ready`.'),
    write_back: crmWriteBack.optional(),
    list_id: savedListId
      .optional()
      .describe(
        'A list of companies. The import adds the company domains of the records to it instead of creating a validation job.',
      ),
  })
  .superRefine((wanted, context) => {
    if (!wanted.properties.includes(wanted.address_property)) {
      const message = 'must be one of `properties`';
      context.addIssue({ code: 'custom', path: ['address_property'], message });
    }
    if (wanted.list_id !== undefined) {
      for (const name of ofValidation.filter(each => wanted[each] !== undefined)) {
        context.addIssue({ code: 'custom', path: [name], message: 'must be omitted with `list_id`' });
      }
      if (wanted.properties.length > 1) {
        const message = 'must be `address_property` alone with `list_id`';
        context.addIssue({ code: 'custom', path: ['properties'], message });
      }
    }
    if (wanted.start_when_ready === true && wanted.credits_max === undefined) {
      const message = 'is required with `start_when_ready`';
      context.addIssue({ code: 'custom', path: ['credits_max'], message });
    }
  })
  .meta({ id: 'NewCrmImport' });

export type NewCrmImport = z.output<typeof newCrmImport>;

const count = z.int().nonnegative();
const reasonOf = <Reason extends string>(reasons: Readonly<Record<Reason, string>>) =>
  z.enum(Object.keys(reasons) as [Reason, ...Reason[]]);

/** Imports CRM records into a validation job, and can write the results back; or adds their companies to a list. */
export const crmImport = z
  .object({
    import_id: crmImportId,
    name: z.string(),
    ...importRequest,
    start_when_ready: z.boolean(),
    credits_max: z.int().nonnegative().nullable(),
    write_back: crmWriteBack.nullable(),
    list_id: savedListId
      .nullable()
      .describe('The list that the company domains are added to; null if there is a validation job instead.'),
    state: z
      .enum(crmImportStates)
      .describe(
        '`reading` until the records have been read; `ready` until the validation job starts; `validating` and `writing_back` while results are determined and written back; the other states are final. Without `start_when_ready` and `write_back`, the import succeeds when the records have been read; with `list_id`, when their companies are on the list.',
      ),
    pause: z
      .object({
        reason: reasonOf(crmImportPauseReasons),
        detail: z.string(),
        resumes_at: z.iso.datetime().nullable().describe('Null while it waits for you to act.'),
      })
      .nullable()
      .describe('Why the import is paused; null while it is running.'),
    failure: z
      .object({ reason: reasonOf(crmImportFailures), detail: z.string() })
      .nullable()
      .describe('Why the import failed.'),
    records: z.object({
      total: count.describe(
        'The CRM’s initial count, or a lower bound if counting takes long; the exact number once all records have been read.',
      ),
      read: count,
      shortened: count.describe('Records with a value longer than a cell can hold; the value was truncated.'),
      without_domain: count.describe(
        'With `list_id`, records without a company domain, such as contacts at a free mailbox provider; otherwise 0.',
      ),
    }),
    job_id: validationJobId.nullable().describe('The validation job, once the records have been read.'),
    addresses: count
      .nullable()
      .describe('Distinct addresses among the records; null until the records have been read.'),
    cost_max: count
      .nullable()
      .describe('Credits that starting the job reserves; null until the records have been read.'),
    validated: count.describe('Addresses with a verdict so far.'),
    written_back: z
      .object({ total: count, done: count })
      .nullable()
      .describe('Records that results are written back to; null until writing starts.'),
    export_id: exportId
      .nullable()
      .describe('The export that writes the results back, once it has been created.'),
    domains: z
      .object({
        added: count.describe('Domains that the import added to the list.'),
        present: count.describe('Domains that were on the list already.'),
      })
      .nullable()
      .describe('The company domains of the records; null until they are on the list.'),
    progress: z.number().min(0).max(1).describe('When it entered its current state.'),
    created_by: creatorId,
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    deleted_at: z.iso
      .datetime()
      .describe('When the import is deleted; its job and export have their own retention periods.'),
    version: z.int().positive().describe('Increases with every change.'),
  })
  .meta({ id: 'CrmImport' });

export type CrmImportRecord = z.output<typeof crmImport>;
