import { z } from 'zod';
import { parseDomainName } from './parse-email-address.ts';
import { trimUnseen } from './unseen-characters.ts';

/**
 * A domain in a request: any string on input, lower-case A-labels after parsing. Requests use no other schema for
 * domains.
 */
export const domainName = z
  .string()
  .max(1_000)
  .transform((text, context): string => {
    const parsed = parseDomainName(trimUnseen(text).replace(/\.$/, ''));
    if (parsed.ok) {
      return parsed.value.ascii;
    }
    context.addIssue({ code: 'custom', message: parsed.fault.message });
    return z.NEVER;
  });
