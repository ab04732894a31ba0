import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { discoveryRun } from '../../discovery/discovery-run.ts';
import { discoverySearchId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { prices } from '../../prices.ts';
import { withCommas } from '../../with-commas.ts';
import { idempotencyNote } from './discovery-parts.ts';
import { startRunProblems } from './discovery-runs.ts';
import { memberOrKey } from './view-parts.ts';

const presets = limits.companiesPerRunPresets.map(preset => withCommas(preset)).join(', ');

/** Starts a run that fetches companies of a lookalike search. */
export const startLookalikeRun = defineOperation({
  id: 'start-lookalike-run',
  method: 'post',
  path: '/app/v1/lookalike-searches/:search_id/runs',
  summary: 'Fetch companies',
  tag: 'Runs',
  description: `Reserves ${prices.lookalikeCompany} credits per company, for the smaller of the requested and available numbers of companies, at most ${withCommas(limits.companiesPerRunMax)}, locks seeds and filters, and fetches the strongest matches in the background, including the paid fields. The next run continues where the previous one ended. Companies that the account paid for in another search are included for free and are not counted. Only delivered companies are charged; unspent credits are returned at the end. ${idempotencyNote}`,
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  sandbox: true,
  price: 'lookalikeCompany',
  params: z.strictObject({ search_id: discoverySearchId }),
  body: z
    .strictObject({
      companies: z
        .union([z.int().positive().max(limits.companiesPerRunMax), z.literal('all')])
        .describe(`Number of companies to fetch: any number, such as ${presets}, or \`all\`.`),
      list_id: savedListId.optional().describe('A company list to add them to.'),
    })
    .meta({ id: 'NewLookalikeRun' }),
  success: { status: 202, description: 'The run, which continues in the background.', schema: discoveryRun },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [...startRunProblems, 'invalid_request', 'unknown_filter_value', 'search_not_ready'],
});
