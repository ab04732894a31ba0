import type { EmailType } from '@mailproof/shared-types';
import { getDomain } from 'tldts';
import { ordinaryDomains, relayDomains, throwAwayMailDomains } from '../lists/own-names.ts';
import type { Names } from '../lists/packed-names.ts';
import { findProvider } from '../providers/find-provider.ts';

/** Kept lists of domains, in lower-case A-labels. */
export interface DomainLists {
  /** Each was looked at by somebody before it came onto the list. */
  readonly disposable: Names;
  /** Domains whose every subdomain is disposable too. */
  readonly disposableParents: Names;
  /** On two lists that programs collect. */
  readonly agreed: Names;
  /** Collected by programs, ordinary domains among them: enough for a remark, too little for the type. */
  readonly suspected: Names;
  readonly personal: Names;
}

const education = /\.edu$|\.(?:edu|ac|k12)\.[a-z]{2}$|\.k12\.[a-z]{2}\.us$|\.sch\.uk$/;
const government =
  /\.(?:gov|mil)$|\.(?:gov|mil|gob|gouv|govt|gub|gv)\.[a-z]{2}$|\.go\.(?:jp|kr|ke|th|id|tz|ug|cr)$|\.gc\.ca$|\.europa\.eu$|\.bund\.de$|\.admin\.ch$|\.fed\.us$/;

/**
 * Says what kind of domain an address belongs to. What two collections agree on is not believed of a domain whose
 * preferred mail host is a known mailbox host's or gateway's: small companies get onto such lists by mistake.
 */
export function emailTypeOf(domain: string, lists: DomainLists, mxHost?: string): EmailType {
  if (isRelay(domain)) {
    return 'personal';
  }
  if (isKnownThrowAway(domain, lists) || (isAgreed(domain, lists) && !isKeptByProvider(domain, mxHost))) {
    return 'disposable';
  }
  // Before the free-mail list, which holds a few universities' domains.
  return typeBySuffix(domain) ?? (lists.personal.has(domain) ? 'personal' : 'business');
}

/** The type that the ending of a name alone decides. */
export function typeBySuffix(domain: string): 'education' | 'government' | undefined {
  if (education.test(domain)) {
    return 'education';
  }
  return government.test(domain) ? 'government' : undefined;
}

/** Says whether the domain hands out aliases that pass mail on to a mailbox elsewhere. */
export function isRelay(domain: string): boolean {
  return selfAndParents(domain).some(name => relayDomains.has(name));
}

/**
 * Says whether the domain hands out throw-away mailboxes, or is at least suspected of it: by a list, or by its preferred
 * mail host, where that belongs to a service of such mailboxes.
 */
export function isDisposable(domain: string, lists: DomainLists, mxHost?: string): boolean {
  if (isRelay(domain) || ordinaryDomains.has(domain)) {
    return false;
  }
  return (
    isKnownThrowAway(domain, lists) ||
    isAgreed(domain, lists) ||
    lists.suspected.has(domain) ||
    (mxHost !== undefined && servesThrowAway(mxHost, lists))
  );
}

function isKnownThrowAway(domain: string, lists: DomainLists): boolean {
  if (ordinaryDomains.has(domain)) {
    return false;
  }
  return (
    lists.disposable.has(domain) || selfAndParents(domain).some(name => lists.disposableParents.has(name))
  );
}

function isAgreed(domain: string, lists: DomainLists): boolean {
  return lists.agreed.has(domain) && !ordinaryDomains.has(domain);
}

function isKeptByProvider(domain: string, mxHost: string | undefined): boolean {
  const kind = mxHost === undefined ? undefined : findProvider(mxHost, domain)?.kind;
  return kind === 'mailbox_host' || kind === 'gateway';
}

/** A provider of the table also serves houses of its own, whatever a list says of its domain. */
function servesThrowAway(mxHost: string, lists: DomainLists): boolean {
  const registrable = getDomain(mxHost);
  if (registrable === null || isRelay(registrable) || findProvider(mxHost) !== undefined) {
    return false;
  }
  return (
    throwAwayMailDomains.has(registrable) ||
    isKnownThrowAway(registrable, lists) ||
    isAgreed(registrable, lists)
  );
}

function selfAndParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}
