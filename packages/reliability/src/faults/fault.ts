import type { Environment, ServiceName } from '@mailproof/dev-house';
import type { Ground } from '../ground.ts';

/** Something that goes wrong in the middle of everything. */
export interface Fault {
  /** As it is chosen by `--only`. */
  readonly name: string;
  /** As it stands in the table. */
  readonly title: string;
  /** Of each service; one, unless the fault is meant for several. */
  readonly replicas?: number;
  /** What services have to be started with for it. */
  readonly env?: () => Partial<Record<ServiceName, Environment>>;
  /** Whether not a single request may fail. */
  readonly isSeamless?: true;
  /** Why it cannot be had on this machine; nothing where it can. */
  readonly lacks?: () => string | undefined;
  /** Breaks something, and resolves when everything that was broken is whole and ready again. */
  readonly strike: (ground: Ground) => Promise<void>;
}
