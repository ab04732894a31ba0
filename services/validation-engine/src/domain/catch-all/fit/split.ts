import { createHash } from 'node:crypto';
import type { Labelled } from './labelled.ts';

/** One domain of this many is held out. */
const foldCount = 4;

/**
 * Splits by domain, since addresses of one domain resemble each other and would otherwise be on both sides; the same
 * domain is always on the same side.
 */
export function splitByDomain(labelled: readonly Labelled[]): {
  readonly training: readonly Labelled[];
  readonly heldOut: readonly Labelled[];
} {
  const { training = [], heldOut = [] } = Object.groupBy(labelled, ({ domain }) =>
    createHash('sha256').update(domain).digest().readUInt32BE() % foldCount === 0 ? 'heldOut' : 'training',
  );
  return { training, heldOut };
}
