import { dictionary } from '@zxcvbn-ts/language-common';
import { isLongEnough } from '../../domain/users/password-rules.ts';

/** The most common passwords, in lower case, that are long enough to be chosen. */
export function readCommonPasswords(): ReadonlySet<string> {
  return new Set(
    dictionary['passwords-common'].map(password => String(password).toLowerCase()).filter(isLongEnough),
  );
}
