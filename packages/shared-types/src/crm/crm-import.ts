import { z } from 'zod';
import { oneLine, oneLineFault } from '../discovery/one-line.ts';
import { crmConnectionId, crmImportId, exportId, userId, validationJobId } from '../ids.ts';
import { limits } from '../limits.ts';
import { exportedVerdictFields } from '../validation-jobs/validation-job.ts';
import { crmFieldMapping, crmFieldsMax } from './crm-mapping.ts';
import { crmObjects } from './crm-object.ts';

/** How far an import has come; the last three are its ends. */
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

/** Why an import stands still. What goes on by itself has a moment at which it does. */
export const crmImportPauseReasons = {
  crm_asked: 'The CRM asked us to wait. It goes on by itself.',
  crm_exhausted: 'The calls that the CRM allows in a day are used up. It goes on by itself.',
  crm_away: 'The CRM does not answer. It goes on by itself.',
  too_many_unstarted_jobs:
    'The account has as many validation jobs as can wait for their start. Start or delete some; it goes on by itself.',
  not_started: 'The records are in. Look at the validation job and its price, and start it.',
  price_above_limit:
    'Validating costs more than `credits_max` allows. Start the validation job yourself if that is all right.',
  too_few_credits: 'The account has too few credits to validate. It goes on by itself when it has more.',
  too_many_jobs: 'The account has as many validation jobs under way as it may. It goes on by itself.',
  too_many_exports: 'The account has as many exports under way as it may. It goes on by itself.',
} as const;

export type CrmImportPauseReason = keyof typeof crmImportPauseReasons;

/** Why an import has failed. A validation job that it has made stays, with all that was validated. */
export const crmImportFailures = {
  connection_gone: 'The CRM was disconnected.',
  access_revoked: 'The CRM does not accept our access any more. Connect it again and begin another import.',
  not_permitted: 'The CRM does not let us read these records. Whoever connected it may lack the right to.',
  selection_gone: 'The segment, or a property, is not in the CRM any more.',
  refused_by_crm: 'The CRM refused to answer which records these are. Choose other filters.',
  crm_away_too_long: 'The CRM did not answer, or made us wait, for two days.',
  nothing_to_import: 'By the time of the reading there was no such record any more.',
  no_addresses_found: 'None of the records has an email address in the property that was chosen.',
  too_many_records: 'By the time of the reading there were more such records than one import takes.',
  too_much_text:
    'The records have more text than a validation job takes. Choose fewer properties or fewer records.',
  too_many_unstarted_jobs:
    'The account had as many validation jobs as can wait for their start, for two days.',
  job_gone: 'The validation job was deleted.',
  validation_failed:
    'The validation job has failed and says why. Nothing was written back; what was validated can be exported.',
  validation_cancelled:
    'The validation job was cancelled. Nothing was written back; what was validated can be exported.',
  write_back_failed: 'The export that writes the results back has failed and says why.',
  could_not_continue: 'Importing went wrong again and again.',
} as const;

export type CrmImportFailure = keyof typeof crmImportFailures;

/** The column in front of the properties: what the CRM knows the record by. */
export const crmRecordIdColumn = 'crm_record_id';

/** Properties that become columns, beside the record's id. */
export const crmImportPropertiesMax = limits.jobColumnsMax - 1;

const propertyName = z
  .string()
  .min(1)
  .max(255)
  .regex(oneLine, oneLineFault)
  .describe('Name of a property of the CRM.');

/** Operators of filters, with how many values each takes. */
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

/** A condition that records have to meet. */
export const crmFilter = z
  .strictObject({
    property: propertyName,
    operator: z.enum(Object.keys(filterValues) as [CrmFilterOperator, ...CrmFilterOperator[]]),
    values: z
      .array(z.string().min(1).max(1_000).regex(oneLine, oneLineFault))
      .max(100)
      .optional()
      .describe(
        'As the CRM writes them. One; several for `is_one_of`; none for `is_known` and `is_unknown`.',
      ),
  })
  .superRefine(({ operator, values = [] }, context) => {
    const [min, max] = filterValues[operator];
    if (values.length < min || values.length > max) {
      context.addIssue({
        code: 'custom',
        path: ['values'],
        message: max === 0 ? 'must be left out' : max === 1 ? 'must be one value' : 'must have a value',
      });
    }
  })
  .meta({ id: 'CrmFilter' });

/** Which records: those of a segment, those that meet filters, both together; all of them with neither. */
export const crmImportSelection = z
  .strictObject({
    segment_id: z
      .string()
      .min(1)
      .max(255)
      .regex(oneLine, oneLineFault)
      .optional()
      .describe('A list, segment or view of the CRM.'),
    filters: z.array(crmFilter).max(20).optional().describe('Every one of them has to hold.'),
  })
  .meta({ id: 'CrmImportSelection' });

/** Results that can be written back into records. */
export const writtenBackColumns = [...exportedVerdictFields, 'validated_at'] as const;

/** How results go back into the records that were read. */
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

/** What an import is asked for, and tells of itself. */
const importRequest = {
  connection_id: crmConnectionId,
  object: z.enum(crmObjects),
  selection: crmImportSelection,
  properties: z
    .array(propertyName)
    .min(1)
    .max(crmImportPropertiesMax)
    .refine(names => new Set(names).size === names.length, 'must name each property once')
    .describe('What becomes columns, in this order, behind the record’s id.'),
  address_property: propertyName.describe('The one of `properties` that has the address.'),
};

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
      .describe('What people call it, and its validation job. Made up if left out.'),
    start_when_ready: z
      .boolean()
      .optional()
      .describe('True starts the validation by itself if it costs no more than `credits_max`.'),
    credits_max: z
      .int()
      .nonnegative()
      .max(10_000_000)
      .optional()
      .describe('Credits that may be set aside without asking again. Needed with `start_when_ready`.'),
    write_back: crmWriteBack.optional(),
  })
  .superRefine((wanted, context) => {
    if (!wanted.properties.includes(wanted.address_property)) {
      const message = 'must be one of `properties`';
      context.addIssue({ code: 'custom', path: ['address_property'], message });
    }
    if (wanted.start_when_ready === true && wanted.credits_max === undefined) {
      const message = 'is needed with `start_when_ready`';
      context.addIssue({ code: 'custom', path: ['credits_max'], message });
    }
  })
  .meta({ id: 'NewCrmImport' });

export type NewCrmImport = z.output<typeof newCrmImport>;

const count = z.int().nonnegative();
const reasonOf = <Reason extends string>(reasons: Readonly<Record<Reason, string>>) =>
  z.enum(Object.keys(reasons) as [Reason, ...Reason[]]);

/** Records of a CRM on their way into a validation job, and their results on the way back. */
export const crmImport = z
  .object({
    import_id: crmImportId,
    name: z.string(),
    ...importRequest,
    start_when_ready: z.boolean(),
    credits_max: z.int().nonnegative().nullable(),
    write_back: crmWriteBack.nullable(),
    state: z
      .enum(crmImportStates)
      .describe(
        '`reading` until the records are in; `ready` until their validation job is started; `validating` and `writing_back` while results are found out and go back; the others are ends. Without `start_when_ready` and `write_back` it has succeeded when the records are in.',
      ),
    pause: z
      .object({
        reason: reasonOf(crmImportPauseReasons),
        detail: z.string(),
        resumes_at: z.iso.datetime().nullable().describe('Null where it waits for somebody.'),
      })
      .nullable()
      .describe('Why it stands still; null while it goes on.'),
    failure: z
      .object({ reason: reasonOf(crmImportFailures), detail: z.string() })
      .nullable()
      .describe('Why it has failed.'),
    records: z.object({
      total: count.describe(
        'As the CRM counted them at first, or at least so many where counting takes long; those that came when all are in.',
      ),
      read: count,
      shortened: count.describe('Records with a value that is longer than a cell may be; it was cut.'),
    }),
    job_id: validationJobId.nullable().describe('The validation job, once the records are in.'),
    addresses: count.nullable().describe('Different addresses among the records; null until they are in.'),
    cost_max: count.nullable().describe('Credits that a start sets aside; null until the records are in.'),
    validated: count.describe('Addresses with a verdict, as far as was looked.'),
    written_back: z
      .object({ total: count, done: count })
      .nullable()
      .describe('Records into which results go; null until that has begun.'),
    export_id: exportId.nullable().describe('The export that writes the results back, once it has begun.'),
    progress: z.number().min(0).max(1).describe('Of the state that it is in.'),
    created_by: userId,
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    deleted_at: z.iso
      .datetime()
      .describe('When the import is going to be deleted; its job and export have times of their own.'),
    version: z.int().positive().describe('Grows with every change.'),
  })
  .meta({ id: 'CrmImport' });

export type CrmImportRecord = z.output<typeof crmImport>;
