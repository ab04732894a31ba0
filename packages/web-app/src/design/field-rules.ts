import { limits } from '@mailproof/shared-types';

/**
 * Returns what is wrong with the length of a new password, counted like the API: in Unicode characters after
 * normalization to form C. The API decides whether the password is too easy to guess.
 */
export function newPasswordFault(password: string): string | undefined {
  const characters = [...password.normalize('NFC')].length;
  const { passwordCharactersMin: min, passwordCharactersMax: max } = limits;
  if (characters < min) {
    return `Too short: ${characters} of at least ${min} characters.`;
  }
  return characters > max ? `Too long: ${characters} characters; the limit is ${max}.` : undefined;
}

/** Parses a typed number, `1,200` or `1200`; undefined unless it is a whole number from 1 to `max`. */
export function wholeNumber(text: string, max: number): number | undefined {
  const digits = text.replace(/[\s,]/g, '');
  const number = /^\d+$/.test(digits) ? Number(digits) : 0;
  return number >= 1 && number <= max ? number : undefined;
}
