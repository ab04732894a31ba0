import type { EmailType } from '@mailproof/shared-types';

/** Kept lists of domains, in lower-case A-labels. */
export interface DomainLists {
  /** Each was looked at by somebody before it came onto the list. */
  readonly disposable: ReadonlySet<string>;
  /** Domains whose every subdomain is disposable too. */
  readonly disposableParents: ReadonlySet<string>;
  /** Collected by programs, ordinary domains among them: enough for a remark, too little for the type. */
  readonly suspected: ReadonlySet<string>;
  readonly personal: ReadonlySet<string>;
}

const education = /\.edu$|\.(?:edu|ac|k12)\.[a-z]{2}$|\.k12\.[a-z]{2}\.us$|\.sch\.uk$/;
const government =
  /\.(?:gov|mil)$|\.(?:gov|mil|gob|gouv|govt|gub|gv)\.[a-z]{2}$|\.go\.(?:jp|kr|ke|th|id|tz|ug|cr)$|\.gc\.ca$|\.europa\.eu$|\.bund\.de$|\.admin\.ch$|\.fed\.us$/;

/** Says what kind of domain an address belongs to. */
export function emailTypeOf(domain: string, lists: DomainLists): EmailType {
  if (
    lists.disposable.has(domain) ||
    selfAndParents(domain).some(name => lists.disposableParents.has(name))
  ) {
    return 'disposable';
  }
  // Ahead of the free-mail list, which holds a few universities' domains.
  if (education.test(domain)) {
    return 'education';
  }
  if (government.test(domain)) {
    return 'government';
  }
  return lists.personal.has(domain) ? 'personal' : 'business';
}

/** Says whether the domain hands out throw-away mailboxes, or is at least suspected of it. */
export function isDisposable(domain: string, lists: DomainLists): boolean {
  return emailTypeOf(domain, lists) === 'disposable' || lists.suspected.has(domain);
}

function selfAndParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}
