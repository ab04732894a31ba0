import {
  type Delivered,
  endingOf,
  type RunPorts as PaidRunPorts,
  type RunStore,
  type RunWork,
} from '@mailproof/paid-runs';
import type { SearchKind } from '@mailproof/shared-types';
import { deliveredRunOf, type Run, type RunChange } from './run.ts';
import type { RunDelivery } from './run-delivery.ts';

/** As the machinery has it, and changing what a run of a search has besides. */
export interface DiscoveryRunStore<Transaction> extends RunStore<Run, Transaction> {
  change(run: Run, change: RunChange): Promise<boolean>;
  changeWith(run: Run, work: (transaction: Transaction) => Promise<RunChange>): Promise<boolean>;
}

export interface DeliverPorts<Transaction> {
  readonly runs: DiscoveryRunStore<Transaction>;
  readonly deliveryOf: (kind: SearchKind) => RunDelivery<Transaction>;
  readonly now: () => Date;
}

/** What runs of searches are paid for: chunk after chunk, each with the run's position in one transaction. */
export function createDiscoveryWork<Transaction>(
  ports: DeliverPorts<Transaction>,
): RunWork<Run, Transaction> {
  const work: RunWork<Run, Transaction> = {
    causeOf: ({ kind }) => ports.deliveryOf(kind).cause,
    deliver: run => deliverChunk({ ...ports, work }, run),
    async tally(run, transaction) {
      const delivered = await ports.deliveryOf(run.kind).countDelivered(transaction, deliveredRunOf(run));
      // Until the last chunk says otherwise, it was stopped ahead of the end of its search.
      return { delivered, charge: delivered * run.price, hasMore: true } satisfies RunChange;
    },
  };
  return work;
}

async function deliverChunk<Transaction>(
  ports: DeliverPorts<Transaction> & Pick<PaidRunPorts<Run, Transaction>, 'work'>,
  run: Run,
): Promise<Delivered> {
  const delivery = ports.deliveryOf(run.kind);
  const wanted = Math.min(delivery.chunkMax, run.requested - run.delivered);
  const found = await delivery.findNext({
    run: deliveredRunOf(run),
    position: run.position ?? undefined,
    wanted: Math.max(1, wanted),
  });
  await ports.runs.changeWith(run, async transaction => {
    const at = ports.now();
    const delivered = run.delivered + (await found.save(transaction));
    const moved: RunChange = {
      state: 'running',
      startedAt: run.startedAt ?? at,
      position: found.position,
      delivered,
      failedAttempts: 0,
      movedAt: at,
    };
    if (delivered < run.requested && !found.isExhausted) {
      return moved;
    }
    return {
      ...moved,
      ...(await endingOf(ports, run, transaction, 'succeeded')),
      hasMore: !found.isExhausted,
    };
  });
  return 'more';
}
