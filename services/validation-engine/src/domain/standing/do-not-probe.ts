/** What an entry of the do-not-probe list covers, itself and every name below it. */
export const doNotProbeScopes = ['domain', 'mail_host'] as const;

export type DoNotProbeScope = (typeof doNotProbeScopes)[number];

export interface DoNotProbeEntry {
  readonly scope: DoNotProbeScope;
  /** Lower-case A-labels. */
  readonly name: string;
}

/** Who put an entry on the list: an operator, or somebody who proved that the name is theirs. */
export type DoNotProbeOrigin = 'operator' | 'owner';

export interface ListedEntry extends DoNotProbeEntry {
  readonly origin: DoNotProbeOrigin;
  readonly note: string | undefined;
  readonly createdAt: Date;
}

/** The list as it is kept. Each call rejects where the store is away. */
export interface DoNotProbeStore {
  /** True where the entry is new. */
  add(entry: DoNotProbeEntry, origin: DoNotProbeOrigin, note?: string): Promise<boolean>;
  /** True where there was such an entry. */
  remove(entry: DoNotProbeEntry): Promise<boolean>;
  /** In the order of names. */
  list(): Promise<readonly ListedEntry[]>;
}

/** Answers whether the owner of a name asked not to be probed. */
export interface DoNotProbeList {
  /** Rejects where the list was never read: without it nobody may be probed. */
  covers(entry: DoNotProbeEntry): Promise<boolean>;
  /** Reads the list anew, for what has just been changed. */
  refresh(): Promise<void>;
}

export interface DoNotProbeListPorts {
  readonly store: Pick<DoNotProbeStore, 'list'>;
  readonly nowMs: () => number;
  /** Told of a list that could not be read; the one read before is used on. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** Another replica's change is seen after this time at the latest, as long as the store is there. */
export const listAgeMsMax = 30_000;

/**
 * The list in memory, read anew when it has become old: each validation asks it, and it must hold while the store is
 * away.
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
        // Waited for by nobody, and not tried again by each validation while the store is away.
        known = { names, readAtMs: nowMs() };
        readOnce().catch(onStoreFailed);
      }
      return selfAndParents(name).some(parent => known?.names.has(keyOf({ scope, name: parent })));
    },
    async refresh() {
      // What is being read may be from ahead of the change.
      await reading?.catch(() => undefined);
      await readOnce();
    },
  };
}

/** For whoever has no list, as the command line. */
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
