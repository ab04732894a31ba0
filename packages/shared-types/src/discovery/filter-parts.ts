import { z } from 'zod';
import { parseDomainName } from '../email-address/parse-email-address.ts';
import { limits } from '../limits.ts';

/**
 * One line without control characters, unpaired surrogates, or characters that change the direction of text. Postgres
 * cannot store NUL in `text` or an unpaired surrogate in `jsonb`.
 */
export const oneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

/** The error message for any other text. */
export const oneLineFault = 'must be one line without control characters';

/**
 * A word or value to filter people or companies by. Surrounding white space is removed, and each run of white space
 * inside becomes one space.
 */
export const filterValue = z
  .string()
  .max(limits.filterValueCharactersMax)
  .overwrite(text => text.normalize('NFC').replace(/\s+/gu, ' ').trim())
  .refine(text => text.length > 0, 'must not be empty')
  .regex(oneLine, oneLineFault);

/** A domain in A-labels. It is not `domainName`, because responses contain filters too and are not transformed. */
export const companyDomain = z
  .string()
  .max(1_000)
  .overwrite(text => {
    const parsed = parseDomainName(text.trim().replace(/\.$/, ''));
    return parsed.ok ? parsed.value.ascii : text;
  })
  .refine(text => parseDomainName(text).ok, 'must be a domain');

/** A list of filter values. An empty list is refused because it would match no one; omit the filter instead. */
export function anyOf<Value extends z.ZodType>(
  value: Value,
  description: string,
  valuesMax: number = limits.filterValuesMax,
) {
  return z
    .array(value)
    .min(1, 'must name a value; omit the filter to allow any')
    .max(valuesMax)
    .optional()
    .describe(description);
}

export const foundedYear = z.int().min(limits.foundedYearMin).max(limits.foundedYearMax);

/** A range of numbers, both ends included, open at the end that is not given. */
export function range(number: z.ZodInt, description: string) {
  return z
    .strictObject({ min: number.optional(), max: number.optional() })
    .refine(({ min, max }) => min !== undefined || max !== undefined, {
      error: 'must have `min` or `max`; omit the filter to allow any',
    })
    .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
      path: ['max'],
      error: 'must not be below `min`',
    })
    .optional()
    .describe(description);
}

export function oneOf(values: readonly string[]): string {
  return `One or more of: ${values.map(each => `\`${each}\``).join(', ')}.`;
}
