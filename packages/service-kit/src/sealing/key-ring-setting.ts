import { z } from 'zod';

const entryForm = /^([\w.-]{1,64}):([A-Za-z0-9+/]{43}=)$/;
const keyOctets = 32;

/**
 * A ring of key-encryption keys in a variable: `kid:base64`, comma-separated, the current one first. What is wrong is
 * said without repeating any of it.
 */
export const keyRing = z.string().transform((text, context) => {
  const entries = text.split(',').map(entry => entryForm.exec(entry.trim()));
  const keys = entries.flatMap(match => {
    const [, kid, base64] = match ?? [];
    const key = base64 === undefined ? undefined : new Uint8Array(Buffer.from(base64, 'base64'));
    return kid !== undefined && key?.length === keyOctets ? [{ kid, key }] : [];
  });
  const [first, ...others] = keys;
  if (!first || keys.length < entries.length) {
    context.addIssue({
      code: 'custom',
      message: `must be a comma-separated list of kid:key, each key ${keyOctets} octets in base64`,
    });
    return z.NEVER;
  }
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) {
    context.addIssue({ code: 'custom', message: 'must name each kid once' });
    return z.NEVER;
  }
  return [first, ...others] as const;
});
