import type { Environment, ServiceName } from '@mailproof/dev-house';
import type { Ground } from '../ground.ts';

/** A fault that is injected into a running system. */
export interface Fault {
  /** The name for `--only`. */
  readonly name: string;
  /** Its title in the table. */
  readonly title: string;
  /** The number of replicas of each service; one if omitted. */
  readonly replicas?: number;
  /** The environment in which services must be started for the fault. */
  readonly env?: () => Partial<Record<ServiceName, Environment>>;
  /** Whether no request may fail. */
  readonly isSeamless?: true;
  /** Returns why this machine cannot inject the fault; undefined if it can. */
  readonly lacks?: () => string | undefined;
  /** Injects the fault, and resolves when everything is repaired and ready again. */
  readonly strike: (ground: Ground) => Promise<void>;
}
