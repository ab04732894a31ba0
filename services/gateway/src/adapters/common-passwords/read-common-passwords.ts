import { isLongEnough } from '../../domain/users/password-rules.ts';

let reading: Promise<ReadonlySet<string>> | undefined;

/**
 * Returns the most common passwords, in lower case, that are long enough to be chosen. They are loaded with the first
 * password that a user chooses: the package takes 5 MB.
 */
export function readCommonPasswords(): Promise<ReadonlySet<string>> {
  reading ??= load();
  return reading;
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(
    dictionary['passwords-common'].map(password => String(password).toLowerCase()).filter(isLongEnough),
  );
}
