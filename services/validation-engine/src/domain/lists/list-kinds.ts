import type { WebClient } from '../catch-all/web-client.ts';
import type { Clock } from '../concurrency/deadline.ts';

/** A list in which the engine looks up names, and which an operator may refresh. */
export interface ListKind {
  readonly id: ListId;
  /** What it means to be on the list. */
  readonly meaning: string;
  readonly names: 'domains' | 'local parts';
  /** Where its maintainers publish it; absent if it is not published in a format of one name per line. */
  readonly publishedAt?: string;
  /** Whether being on it counts against an address, so that a large provider's name on it is a mistake. */
  readonly speaksAgainst: boolean;
}

export type ListId = 'disposable' | 'suspected' | 'personal' | 'roles';

/** In the order in which they are refreshed. */
export const listKinds: readonly ListKind[] = [
  {
    id: 'disposable',
    meaning: 'disposable domains, each checked by a person',
    names: 'domains',
    publishedAt:
      'https://raw.githubusercontent.com/disposable-email-domains/disposable-email-domains/main/disposable_email_blocklist.conf',
    speaksAgainst: true,
  },
  {
    id: 'suspected',
    meaning: 'disposable domains collected automatically; some are ordinary domains',
    names: 'domains',
    publishedAt: 'https://disposable.github.io/disposable-email-domains/domains.txt',
    speaksAgainst: true,
  },
  { id: 'personal', meaning: 'domains of free mailboxes', names: 'domains', speaksAgainst: false },
  { id: 'roles', meaning: 'local parts of role addresses', names: 'local parts', speaksAgainst: false },
];

export function listKind(id: ListId): ListKind {
  const found = listKinds.find(kind => kind.id === id);
  if (found === undefined) {
    throw new TypeError(`There is no list ${id}.`);
  }
  return found;
}

/** The file name of a list in the folder of refreshed lists. */
export function listFile(id: ListId): string {
  return `${id}.txt`;
}

/** Where refreshed lists are kept. */
export interface ListFolder {
  /** The list that a new one replaces. */
  inUse(id: ListId): ReadonlySet<string>;
  /** Replaces a list atomically and returns its location. Rejects with the file system's error. */
  write(id: ListId, names: ReadonlySet<string>, origin: string): Promise<string>;
}

/** The external dependencies of refreshing lists. */
export interface ListPorts {
  readonly folder: ListFolder;
  readonly web: WebClient;
  readonly clock: Clock;
  /** Reads a whole file; undefined if it is longer. Rejects with the file system's error. */
  readFileUpTo(path: string, octetsMax: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
}
