import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { limits } from '../../limits.ts';
import { credits } from '../public-parts.ts';
import { memberOrKey } from './view-parts.ts';

/** Gets the credits spent per day and operation, for a chart. */
export const viewUsage = defineOperation({
  id: 'view-usage',
  method: 'get',
  path: '/app/v1/usage',
  summary: 'Get usage',
  tag: 'Credits',
  description: `Credits spent, by day (UTC) and operation; days without spending are omitted. Both days are included; at most ${limits.usageDaysMax} days. Defaults to the last ${limits.usageDaysDefault} days.`,
  answeredBy: 'gateway',
  access: memberOrKey('account.read'),
  query: z
    .strictObject({ from: z.iso.date().optional(), until: z.iso.date().optional() })
    .refine(({ from, until }) => (from === undefined) === (until === undefined), {
      error: 'must include both `from` and `until`, or neither',
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
        error: `must be at most ${limits.usageDaysMax} days from \`from\`, counting both`,
      },
    ),
  success: {
    status: 200,
    description: 'The usage.',
    schema: z
      .object({
        from: z.iso.date(),
        until: z.iso.date(),
        spent: credits.describe('All credits spent in the period.'),
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
