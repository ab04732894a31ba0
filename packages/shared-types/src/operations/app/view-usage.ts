import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { credits, noBody, noParams } from '../public-parts.ts';
import { memberOnly } from './view-parts.ts';

/** Credits spent a day and operation, for a chart. */
export const viewUsage = defineOperation({
  id: 'view-usage',
  method: 'get',
  path: '/app/v1/usage',
  summary: 'Usage',
  tag: 'Credits',
  description: `Credits that were spent, by day (UTC) and operation; days without any are left out. Both days count; at most ${limits.usageDaysMax} days. Without a period, the last ${limits.usageDaysDefault} days.`,
  access: memberOnly,
  params: noParams,
  query: z
    .strictObject({ from: z.iso.date().optional(), until: z.iso.date().optional() })
    .refine(({ from, until }) => (from === undefined) === (until === undefined), {
      error: 'must name both `from` and `until`, or neither',
    })
    .refine(({ from = '', until = '' }) => from <= until, {
      path: ['until'],
      error: 'must not be before `from`',
    })
    .refine(
      ({ from = '', until = '' }) =>
        from === '' || until === '' || daysOf(from, until) <= limits.usageDaysMax,
      {
        path: ['until'],
        error: `must be at most ${limits.usageDaysMax} days from \`from\`, both counted`,
      },
    ),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The usage.',
    schema: z
      .object({
        from: z.iso.date(),
        until: z.iso.date(),
        spent: credits.describe('All credits spent in these days.'),
        days: z.array(z.object({ day: z.iso.date(), operation: z.string(), spent: credits })),
      })
      .meta({ id: 'Usage' }),
    example: {
      from: '2026-03-01',
      until: '2026-03-31',
      spent: 7,
      days: [{ day: '2026-03-02', operation: 'validate-single-email', spent: 7 }],
    },
  },
  repeatable: true,
  problems: [],
});

const dayMs = 86_400_000;

function daysOf(from: string, until: string): number {
  return (Date.parse(until) - Date.parse(from)) / dayMs + 1;
}
