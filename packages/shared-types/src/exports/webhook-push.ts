import { z } from 'zod';
import { webhookPresetNames } from './webhook-presets.ts';

/** The properties of a push that are known before its first row. */
export const pushBeginning = z
  .object({
    preset: z.enum(webhookPresetNames).describe('The receiver type in effect.'),
    rows_per_second_max: z.number().positive().describe('Maximum rows per second.'),
    notices: z.array(z.string()).describe('Limits of this receiver, such as rows over its lifetime.'),
    signing_secret: z.string().describe('The secret that signs rows. It is not shown again.'),
  })
  .meta({ id: 'PushBeginning' });

export type PushBeginning = z.output<typeof pushBeginning>;
