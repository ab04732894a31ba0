import { z } from 'zod';
import { webhookPresetNames } from './webhook-presets.ts';

/** What there is to know of a push ahead of its first row. */
export const pushBeginning = z
  .object({
    preset: z.enum(webhookPresetNames).describe('Which receiver it is taken for.'),
    rows_per_second_max: z.number().positive().describe('It never goes faster.'),
    notices: z.array(z.string()).describe('What to know of the receiver, such as what it takes in its life.'),
    signing_secret: z.string().describe('The secret that rows are signed with. It is not shown again.'),
  })
  .meta({ id: 'PushBeginning' });

export type PushBeginning = z.output<typeof pushBeginning>;
