import { limits } from '@mailproof/shared-types';

/** A password that may not be chosen; the message says why. */
export class PasswordFault extends Error {
  override readonly name = 'PasswordFault';
}

/**
 * Refuses what a guesser tries first (NIST SP 800-63B section 3.1.1.2). The contract has seen to its length and
 * spelling; there are no rules of composition.
 *
 * @throws PasswordFault
 */
export function refuseWeakPassword(
  password: string,
  email: string,
  commonPasswords: ReadonlySet<string>,
): void {
  const plain = password.toLowerCase();
  const address = email.toLowerCase();
  if (plain === address || plain === address.slice(0, address.lastIndexOf('@'))) {
    throw new PasswordFault('The password is the email address.');
  }
  if (commonPasswords.has(plain) || new Set(plain).size === 1) {
    throw new PasswordFault('The password is one of those that are tried first.');
  }
}

/** Whether a word of a list could be chosen at all. */
export function isLongEnough(password: string): boolean {
  return password.length >= limits.passwordCharactersMin;
}
