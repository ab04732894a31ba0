import { domainToASCII } from 'node:url';

export type Command = { readonly verb: string; readonly argument: string };

export type Path = {
  readonly address: string;
  readonly parameters: readonly string[];
};

const verbs = new Set([
  'EHLO',
  'HELO',
  'STARTTLS',
  'MAIL',
  'RCPT',
  'DATA',
  'BDAT',
  'RSET',
  'NOOP',
  'VRFY',
  'EXPN',
  'HELP',
  'AUTH',
  'QUIT',
]);

/** Splits a command line; a verb that is not SMTP becomes `UNKNOWN`. */
export function readCommand(line: string): Command {
  const [word = '', ...rest] = line.trimEnd().split(' ');
  const verb = word.toUpperCase();
  return { verb: verbs.has(verb) ? verb : 'UNKNOWN', argument: rest.join(' ') };
}

/**
 * Reads `FROM:<path> [parameters]` or `TO:<path> [parameters]` (RFC 5321 section 4.1.2).
 *
 * @returns the address, empty for the null reverse-path, or undefined for a syntax error
 */
export function readPath(argument: string, keyword: 'FROM' | 'TO'): Path | undefined {
  const match = /^(\w+):<([^<>]*)>(?: (.*))?$/.exec(argument);
  if (match === null || match[1]?.toUpperCase() !== keyword) return undefined;
  const address = match[2] ?? '';
  if (/\s/.test(address) || (keyword === 'TO' && !/^[^@].*@[^@]+$/.test(address))) return undefined;
  return { address, parameters: match[3]?.split(' ').filter(word => word !== '') ?? [] };
}

/** The local part and the lower-case ASCII form of the domain. */
export function splitAddress(address: string): { localPart: string; domain: string } {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return { localPart: address.slice(0, at), domain: domainToASCII(domain) || domain.toLowerCase() };
}

export function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}
