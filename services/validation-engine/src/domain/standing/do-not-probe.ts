/** What an entry of the do-not-probe list names. It covers that name and every name below it. */
export const doNotProbeScopes = ['domain', 'mail_host'] as const;

export type DoNotProbeScope = (typeof doNotProbeScopes)[number];

export interface DoNotProbeEntry {
  readonly scope: DoNotProbeScope;
  /** Lower-case A-labels. */
  readonly name: string;
}

/** Who put an entry on the list: an operator, or someone who proved that they own the name. */
export type DoNotProbeOrigin = 'operator' | 'owner';

export interface ListedEntry extends DoNotProbeEntry {
  readonly origin: DoNotProbeOrigin;
  readonly note: string | undefined;
  readonly createdAt: Date;
}

/** The stored list. Each call rejects if the store is unavailable. */
export interface DoNotProbeStore {
  /** True if the entry is new. */
  add(entry: DoNotProbeEntry, origin: DoNotProbeOrigin, note?: string): Promise<boolean>;
  /** True if there was such an entry. */
  remove(entry: DoNotProbeEntry): Promise<boolean>;
  /** Sorted by name. */
  list(): Promise<readonly ListedEntry[]>;
}

/** Answers whether the owner of a name asked not to be probed. */
export interface DoNotProbeList {
  /** Rejects if the list was never read: without it no host may be probed. */
  covers(entry: DoNotProbeEntry): Promise<boolean>;
  /** Reads the list again, after a change. */
  refresh(): Promise<void>;
}

export interface DoNotProbeListPorts {
  readonly store: Pick<DoNotProbeStore, 'list'>;
  readonly nowMs: () => number;
  /** Called when the list cannot be read; the list read before then stays in use. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** A change by another replica is seen after this time at the latest, as long as the store is available. */
export const listAgeMsMax = 30_000;

/**
 * The list in memory, read again when it is old: each validation checks it, and it must work while the store is
 * unavailable.
 */
export function createDoNotProbeList({ store, nowMs, onStoreFailed }: DoNotProbeListPorts): DoNotProbeList {
  let known: { readonly names: ReadonlySet<string>; readonly readAtMs: number } | undefined;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const entries = await store.list();
    known = { names: new Set(entries.map(keyOf)), readAtMs: nowMs() };
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    async covers({ scope, name }) {
      if (known === undefined) {
        await readOnce();
      } else if (nowMs() - known.readAtMs >= listAgeMsMax && reading === undefined) {
        const { names } = known;
        // No validation waits for it, and none tries it again while the store is unavailable.
        known = { names, readAtMs: nowMs() };
        readOnce().catch(onStoreFailed);
      }
      return selfAndParents(name).some(parent => known?.names.has(keyOf({ scope, name: parent })));
    },
    async refresh() {
      // A running read may have started before the change.
      await reading?.catch(() => undefined);
      await readOnce();
    },
  };
}

/** For a caller that has no list, such as the command line. */
export const emptyDoNotProbeList: DoNotProbeList = {
  covers: async () => false,
  refresh: async () => undefined,
};

function keyOf({ scope, name }: DoNotProbeEntry): string {
  return `${scope} ${name}`;
}

function selfAndParents(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}
