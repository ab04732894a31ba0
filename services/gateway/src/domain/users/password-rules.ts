import { limits } from '@mailproof/shared-types';

/** The password is not allowed; the message says why. */
export class PasswordFault extends Error {
  override readonly name = 'PasswordFault';
}

/**
 * Refuses passwords that attackers try first (NIST SP 800-63B section 3.1.1.2). The contract has already checked the
 * length and encoding; there are no composition rules.
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
    throw new PasswordFault('The password is your email address. Choose another one.');
  }
  if (commonPasswords.has(plain) || new Set(plain).size === 1) {
    throw new PasswordFault('The password is one of the most common passwords. Choose another one.');
  }
}

/** Whether a password meets the minimum length. */
export function isLongEnough(password: string): boolean {
  return password.length >= limits.passwordCharactersMin;
}
