import { z } from 'zod';
import { discoveryRunId, discoverySearchId, savedListId, validationJobId } from '../ids.ts';
import { validationResults } from '../verdict.ts';

/** Rows of a validation job, in their original order; while the job is in progress, those with a result. */
export const validationJobSource = z
  .strictObject({
    kind: z.literal('validation_job'),
    job_id: validationJobId,
    results: z
      .array(z.enum(validationResults))
      .min(1)
      .optional()
      .describe(
        'Only rows with one of these results; `["ok", "catch_all_validated"]` selects the addresses that are safe to send to.',
      ),
    without_duplicates: z.boolean().optional().describe('If true, duplicate addresses are left out.'),
    with_validated_at: z
      .boolean()
      .optional()
      .describe('If true, adds `validated_at`, the time of the verdict, after the other fields.'),
  })
  .meta({ id: 'ValidationJobSource' });

/** Saved people, in the order in which they were saved. */
export const savedPeopleSource = z
  .strictObject({
    kind: z.literal('saved_people'),
    list_id: savedListId.optional().describe('Only records in this list.'),
    run_id: discoveryRunId.optional().describe('Only records from this run.'),
  })
  .meta({ id: 'SavedPeopleSource' });

/** Companies that runs delivered; those of one lookalike search are ordered by match strength, best first. */
export const savedCompaniesSource = z
  .strictObject({
    kind: z.literal('saved_companies'),
    search_id: discoverySearchId.optional().describe('Only records from this search for companies.'),
    list_id: savedListId.optional().describe('Only records in this list.'),
    run_id: discoveryRunId.optional().describe('Only records from this run.'),
  })
  .meta({ id: 'SavedCompaniesSource' });

/** The rows to export. */
export const exportSource = z.discriminatedUnion('kind', [
  validationJobSource,
  savedPeopleSource,
  savedCompaniesSource,
]);

export type ExportSource = z.output<typeof exportSource>;
