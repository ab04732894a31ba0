/** A list that the engine looks names up in, and that an operator may refresh. */
export interface ListKind {
  readonly id: ListId;
  /** What the list says of those on it. */
  readonly meaning: string;
  readonly names: 'domains' | 'local parts';
  /** Where its keepers publish it; missing where nobody publishes it one name a line. */
  readonly publishedAt?: string;
  /** Whether a name on it speaks against the address, so that a large provider's name is a mistake. */
  readonly speaksAgainst: boolean;
}

export type ListId = 'disposable' | 'suspected' | 'personal' | 'roles';

/** In the order in which they are refreshed. */
export const listKinds: readonly ListKind[] = [
  {
    id: 'disposable',
    meaning: 'domains of throw-away mailboxes, each looked at by somebody',
    names: 'domains',
    publishedAt:
      'https://raw.githubusercontent.com/disposable-email-domains/disposable-email-domains/main/disposable_email_blocklist.conf',
    speaksAgainst: true,
  },
  {
    id: 'suspected',
    meaning: 'domains of throw-away mailboxes as programs collect them, ordinary ones among them',
    names: 'domains',
    publishedAt: 'https://disposable.github.io/disposable-email-domains/domains.txt',
    speaksAgainst: true,
  },
  { id: 'personal', meaning: 'domains of free mailboxes', names: 'domains', speaksAgainst: false },
  { id: 'roles', meaning: 'local parts of functions', names: 'local parts', speaksAgainst: false },
];

export function listKind(id: ListId): ListKind {
  const found = listKinds.find(kind => kind.id === id);
  if (found === undefined) {
    throw new TypeError(`There is no list ${id}.`);
  }
  return found;
}

/** The file of a list, in the folder of refreshed ones. */
export function listFile(id: ListId): string {
  return `${id}.txt`;
}
