import { z } from 'zod';
import { discoveryRun } from '../../discovery/discovery-run.ts';
import { discoverySearchId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { prices } from '../../prices.ts';
import { noQuery } from '../public-parts.ts';
import { idempotencyNote } from './discovery-parts.ts';
import { startRunProblems } from './discovery-runs.ts';
import { memberOnly } from './view-parts.ts';

const presets = limits.companiesPerRunPresets.map(preset => preset.toLocaleString('en')).join(', ');

/** Fetches companies of a lookalike search. */
export const startLookalikeRun = defineOperation({
  id: 'start-lookalike-run',
  method: 'post',
  path: '/app/v1/lookalike-searches/:search_id/runs',
  summary: 'Fetch companies',
  tag: 'Runs',
  description: `Reserves ${prices.lookalikeCompany} credits for each company that is asked for and can be had, at most ${limits.companiesPerRunMax.toLocaleString('en')}, fixes seeds and filters, and fetches the strongest matches in the background, with the paid fields. A further run goes on where the one before ended. Companies that the account has paid for in another search come with them free and are not counted. Only what is delivered is charged; the rest is returned at the end. ${idempotencyNote}`,
  access: memberOnly,
  params: z.strictObject({ search_id: discoverySearchId }),
  query: noQuery,
  body: z
    .strictObject({
      companies: z
        .union([z.int().positive().max(limits.companiesPerRunMax), z.literal('all')])
        .describe(`How many to fetch: any number, such as ${presets}, or \`all\`.`),
      list_id: savedListId.optional().describe('A list of companies that gets them too.'),
    })
    .meta({ id: 'NewLookalikeRun' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 202, description: 'The run, which goes on by itself.', schema: discoveryRun },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: [...startRunProblems, 'invalid_request', 'search_not_ready'],
});
