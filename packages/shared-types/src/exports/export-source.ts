import { z } from 'zod';
import { discoveryRunId, discoverySearchId, savedListId, validationJobId } from '../ids.ts';
import { validationResults } from '../verdict.ts';

/** Rows of a validation job, in their own order. */
export const validationJobSource = z
  .strictObject({
    kind: z.literal('validation_job'),
    job_id: validationJobId,
    results: z
      .array(z.enum(validationResults))
      .min(1)
      .optional()
      .describe(
        'Rows with one of these results alone; `["ok", "catch_all_validated"]` is what can be sent to.',
      ),
    without_duplicates: z
      .boolean()
      .optional()
      .describe('True leaves out rows whose address stood in a row before.'),
    with_validated_at: z
      .boolean()
      .optional()
      .describe('True adds `validated_at` behind our fields: when the verdict was found.'),
  })
  .meta({ id: 'ValidationJobSource' });

/** Saved people, in the order in which they were saved. */
export const savedPeopleSource = z
  .strictObject({
    kind: z.literal('saved_people'),
    list_id: savedListId.optional().describe('Of this list alone.'),
    run_id: discoveryRunId.optional().describe('Of this run alone.'),
  })
  .meta({ id: 'SavedPeopleSource' });

/** Companies that lookalike runs have delivered, those of one search the most alike first. */
export const savedCompaniesSource = z
  .strictObject({
    kind: z.literal('saved_companies'),
    search_id: discoverySearchId.optional().describe('Of this lookalike search alone.'),
    list_id: savedListId.optional().describe('Of this list alone.'),
    run_id: discoveryRunId.optional().describe('Of this run alone.'),
  })
  .meta({ id: 'SavedCompaniesSource' });

/** Which rows leave. */
export const exportSource = z.discriminatedUnion('kind', [
  validationJobSource,
  savedPeopleSource,
  savedCompaniesSource,
]);

export type ExportSource = z.output<typeof exportSource>;
