import type { WebClient } from '../catch-all/web-client.ts';
import type { Clock } from '../deadline.ts';
import type { ListId } from './list-kinds.ts';

/** Where refreshed lists are kept. */
export interface ListFolder {
  /** The list that a new one takes the place of. */
  inUse(id: ListId): ReadonlySet<string>;
  /** Replaces a list in one step and says where it is. Rejects with the file system's error. */
  write(id: ListId, names: ReadonlySet<string>, origin: string): Promise<string>;
}

/** Everything that refreshing lists needs from outside. */
export interface ListPorts {
  readonly folder: ListFolder;
  readonly web: WebClient;
  readonly clock: Clock;
  /** Reads a whole file; nothing where it is longer. Rejects with the file system's error. */
  readFileUpTo(path: string, octetsMax: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
}
