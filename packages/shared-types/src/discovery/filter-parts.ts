import { z } from 'zod';
import { limits } from '../limits.ts';
import { oneLine, oneLineFault } from './one-line.ts';

/** A word or value by which people or companies are filtered. White space around it and runs of it inside mean nothing. */
export const filterValue = z
  .string()
  .max(limits.filterValueCharactersMax)
  .overwrite(text => text.normalize('NFC').replace(/\s+/gu, ' ').trim())
  .refine(text => text.length > 0, 'must not be empty')
  .regex(oneLine, oneLineFault);

/** An empty list would match nobody, which nobody means: leave the filter out instead. */
export function anyOf<Value extends z.ZodType>(value: Value, description: string) {
  return z
    .array(value)
    .min(1, 'must name a value; leave the filter out to allow any')
    .max(limits.filterValuesMax)
    .optional()
    .describe(description);
}

export function oneOf(values: readonly string[]): string {
  return `One or more of: ${values.map(each => `\`${each}\``).join(', ')}.`;
}
