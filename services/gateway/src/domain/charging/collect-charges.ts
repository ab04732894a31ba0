import { type Charge, settleForRun } from './charge.ts';
import type { CreditPort } from './credit-port.ts';

export interface CollectionPorts {
  readonly credits: Pick<CreditPort, 'settle' | 'reserve' | 'release'>;
  /** Writes down that a charge is to be collected, should this process not live to do so; answers the note's id. */
  readonly writeDown: (charge: Charge) => Promise<string>;
  /** The charge is collected, so the note is done with. */
  readonly strikeOff: (noteId: string) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
}

export interface ChargeCollector {
  /** Collects what is owed for an answer that was delivered, and gives back what was held for one that was not. */
  afterAnswer(charge: Charge, wasDelivered: boolean): void;
  /** Resolves when everything that was begun is settled or written down. */
  close(): Promise<void>;
}

/** While neither the database nor the ledger can be reached; together less than a hold stands. */
const waitsMs = [100, 200, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000];

/**
 * Collects charges after their answers, because only then it is known what was delivered. The first thing that happens
 * after an answer is a note in the database; from then on the charge outlives this process (ADR 0023).
 */
export function createChargeCollector(ports: CollectionPorts): ChargeCollector {
  const running = new Set<Promise<void>>();

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  return {
    afterAnswer(charge, wasDelivered) {
      track(wasDelivered ? collect(ports, charge) : giveBack(ports, charge));
    },
    async close() {
      await Promise.all(running);
    },
  };
}

async function collect(ports: CollectionPorts, charge: Charge): Promise<void> {
  for (const waitMs of [...waitsMs, 0]) {
    const noteId = await ports.writeDown(charge).catch(() => undefined);
    const isSettled = await settleForRun(ports.credits, charge).then(
      () => true,
      () => false,
    );
    if (isSettled && noteId !== undefined) {
      // Should this fail, the charge is collected once more later, which changes nothing.
      await ports.strikeOff(noteId).catch(() => undefined);
    }
    if (isSettled || noteId !== undefined) {
      return;
    }
    await ports.wait(waitMs);
  }
}

/** Should this fail, the hold expires by itself. */
async function giveBack({ credits }: CollectionPorts, { holdId }: Charge): Promise<void> {
  await credits.release(holdId).catch(() => undefined);
}
