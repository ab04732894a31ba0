import { limits } from '@mailproof/shared-types';

/**
 * What is wrong with a new password as far as its length goes, counted as the API counts: in characters of Unicode after
 * its normalisation (form C). Whether it is too easy to guess the API says.
 */
export function newPasswordFault(password: string): string | undefined {
  const characters = [...password.normalize('NFC')].length;
  const { passwordCharactersMin: min, passwordCharactersMax: max } = limits;
  if (characters < min) {
    return `This has ${characters} of at least ${min} characters.`;
  }
  return characters > max ? `This has ${characters} characters; ${max} are the most.` : undefined;
}
