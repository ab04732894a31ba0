import { z } from 'zod';
import { type EmailAddress, parseEmailAddress } from './parse-email-address.ts';

/** Marks an issue as the refusal of an address, so that the border answers with that problem's own code. */
export const emailAddressIssue = 'email_address';

/** A string on the wire, an `EmailAddress` inside: the one door for addresses in requests. */
export const emailAddress = z
  .string()
  .transform((text, context): EmailAddress => {
    const parsed = parseEmailAddress(text);
    if (parsed.ok) {
      return parsed.value;
    }
    context.addIssue({
      code: 'custom',
      message: parsed.fault.message,
      params: { kind: emailAddressIssue, fault: parsed.fault.code },
    });
    return z.NEVER;
  })
  .meta({
    format: 'email',
    description:
      'The address, as RFC 5321 and RFC 6531 allow. Characters that cannot be seen are trimmed at its ends and refused inside; addresses are compared in NFC.',
    example: 'ada@ordinary.example',
  });
