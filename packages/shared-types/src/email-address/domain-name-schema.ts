import { z } from 'zod';
import { parseDomainName } from './domain-name.ts';
import { trimUnseen } from './unseen-characters.ts';

/** A string on the wire, lower-case A-labels inside: the one door for domains in requests. */
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
