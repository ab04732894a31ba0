import { describe, expect, it } from '@jest/globals';
import type { AccountId } from '@mailproof/shared-types';
import fc from 'fast-check';
import { advanceRun } from './advance-run.ts';
import { cancelRun } from './cancel-run.ts';
import { noteRunFault } from './drive-run.ts';
import { hasEnded } from './paid-run.ts';
import { Away, accountId, Killed, people, price, World } from './testing/run-world.ts';

type Move =
  | { readonly kind: 'advance'; readonly fates: World['plan'] }
  /** Two workers that both believe that they own the run. */
  | { readonly kind: 'advanceTwice'; readonly fates: World['plan'] }
  | { readonly kind: 'cancel'; readonly fates: World['plan'] }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'spendElsewhere'; readonly credits: number }
  | { readonly kind: 'topUp'; readonly credits: number };

const fate = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  'killedBefore' as const,
  'killedAfter' as const,
  'awayBefore' as const,
  'awayAfter' as const,
);
const fates = fc.array(fate, { maxLength: 6 });
const steadily: fc.Arbitrary<Move> = fc.constant({ kind: 'advance', fates: [] });
const move: fc.Arbitrary<Move> = fc.oneof(
  steadily,
  fc.record({ kind: fc.constant('advance' as const), fates }),
  fc.record({ kind: fc.constant('advanceTwice' as const), fates }),
  fc.record({ kind: fc.constant('cancel' as const), fates }),
  fc.record({
    kind: fc.constant('wait' as const),
    ms: fc.constantFrom(60_000, 700_000, 4_000_000, 90_000_000),
  }),
  fc.record({ kind: fc.constant('spendElsewhere' as const), credits: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ kind: fc.constant('topUp' as const), credits: fc.integer({ min: 1, max: 200 }) }),
);

/** Handles errors as the worker does: a failure is recorded and the job runs again; a kill records nothing. */
async function tolerate(world: World, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Away) {
      await noteRunFault(world.ports, world.run.runId, true).catch(() => undefined);
    } else if (!(error instanceof Killed)) {
      throw error;
    }
  }
}

async function make(world: World, { ...next }: Move): Promise<void> {
  switch (next.kind) {
    case 'wait':
      world.nowMs += next.ms;
      return;
    case 'spendElsewhere':
      world.credits -= Math.min(next.credits, Math.max(0, world.available()));
      return;
    case 'topUp':
      world.credits += next.credits;
      return;
    default: {
      world.plan.splice(0, world.plan.length, ...next.fates);
      const { runId } = world.run;
      const work =
        next.kind === 'cancel'
          ? () => cancelRun(world.ports, accountId as AccountId, runId)
          : () => advanceRun(world.ports, runId);
      const times = next.kind === 'advanceTwice' ? 2 : 1;
      await Promise.all(Array.from({ length: times }, () => tolerate(world, work)));
      world.plan.length = 0;
    }
  }
}

/** Advances the run without further outages or kills: it has to end. */
async function untilEnded(world: World): Promise<void> {
  for (let steps = 0; !hasEnded(world.run); steps += 1) {
    if (steps > 500) {
      throw new Error('The run does not end.');
    }
    await advanceRun(world.ports, world.run.runId);
  }
}

describe('a run', () => {
  it('charges exactly the rows that it delivered, despite kills, outages and late answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: people + 10 }),
        fc.array(move, { maxLength: 40 }),
        async (requested, moves) => {
          // With this many credits, other spending never prevents the replacement of a lost hold.
          const world = new World(requested, 1_000_000);
          for (const next of moves) {
            await make(world, next);
            expect(world.holds.filter(({ state }) => state === 'settled').length).toBeLessThanOrEqual(1);
          }
          await untilEnded(world);
          expect(world.charged()).toBe(world.ownRows() * price);
          expect(world.run.spent).toBe(world.charged());
          expect(world.run.delivered).toBe(world.ownRows());
          expect(world.ownRows()).toBeLessThanOrEqual(requested);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('never charges more than it delivered when the account runs out of credits, and says why it ended', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: people }),
        fc.integer({ min: 0, max: 50 }),
        fc.array(move, { maxLength: 40 }),
        async (requested, more, moves) => {
          const world = new World(requested, requested * price + more);
          for (const next of moves) {
            await make(world, next);
          }
          const before = world.available();
          await untilEnded(world);
          const due = world.ownRows() * price;
          expect(world.charged()).toBeLessThanOrEqual(due);
          expect(world.run.spent).toBe(world.charged());
          if (world.charged() < due && moves.every(({ kind }) => kind !== 'topUp')) {
            // Credits that were not charged were not available; credits that arrive after the last hold do not count.
            expect(world.available()).toBe(0);
            expect(before).toBeGreaterThanOrEqual(0);
          }
          if (world.run.state === 'succeeded') {
            expect(Math.min(requested, people)).toBe(world.ownRows());
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('leaves no pending hold except that of a killed process', async () => {
    const unhurt = move.map((next): Move => ('fates' in next ? { ...next, fates: [] } : next));
    await fc.assert(
      fc.asyncProperty(fc.array(unhurt, { maxLength: 40 }), async moves => {
        const world = new World(people, people * price + 20);
        for (const next of moves) {
          await make(world, next);
        }
        await untilEnded(world);
        expect(world.holds.filter(hold => world.stands(hold))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('delivers nothing after it was canceled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 6 }), fates, async (chunks, cuts) => {
        const world = new World(people, 1_000_000);
        for (let at = 0; at < chunks; at += 1) {
          await advanceRun(world.ports, world.run.runId);
        }
        const delivering = make(world, { kind: 'advanceTwice', fates: cuts });
        await cancelRun(world.ports, accountId as AccountId, world.run.runId).catch(() => undefined);
        await delivering;
        if (world.run.ending === 'cancelled') {
          const rows = world.ownRows();
          await untilEnded(world);
          expect(world.ownRows()).toBe(rows);
          expect(world.run.state).toBe('cancelled');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('releases a hold that came too late', async () => {
    const world = new World(people, people * price + 20);
    // Renews the hold, then delivers a chunk.
    await advanceRun(world.ports, world.run.runId);
    await advanceRun(world.ports, world.run.runId);
    const delivered = world.ownRows();
    // The first hold is lost, and most of the credits are spent, so that the second is refused.
    world.nowMs += 4_000_000;
    world.credits -= people * price;
    await advanceRun(world.ports, world.run.runId);
    // One worker stalls just before it asks for the second hold.
    let goOn: () => void = () => undefined;
    const stalled = new Promise<void>(resolve => {
      goOn = resolve;
    });
    const late = advanceRun(
      {
        ...world.ports,
        credits: {
          ...world.ledger,
          async hold(request) {
            await stalled;
            return world.ledger.hold(request);
          },
        },
      },
      world.run.runId,
    );
    // Another worker ends the run in the meantime; then credits arrive, and the late hold succeeds.
    await untilEnded(world);
    world.credits += 1_000;
    goOn();
    await late;
    expect(world.holds.map(({ state }) => state)).toEqual(['pending', 'settled', 'released']);
    expect(world.holds.filter(hold => world.stands(hold))).toEqual([]);
    expect(world.charged()).toBe(Math.min(20, delivered * price));
  });

  it.each(['killed', 'overtaken'] as const)(
    'releases a hold whose worker was %s before it recorded it, even with nothing to pay',
    async fate => {
      const world = new World(people, people * price);
      // The first hold is lost before the first chunk.
      world.nowMs += 4_000_000;
      await advanceRun(world.ports, world.run.runId);
      expect(world.run).toMatchObject({ holds: 2, holdId: null, delivered: 0 });
      if (fate === 'killed') {
        world.plan.push(undefined, 'killedBefore');
        await tolerate(world, () => advanceRun(world.ports, world.run.runId));
        await cancelRun(world.ports, accountId as AccountId, world.run.runId);
      } else {
        const runs = {
          ...world.store,
          async change(...[run, change]: Parameters<typeof world.store.change>) {
            await cancelRun(world.ports, accountId as AccountId, world.run.runId);
            return world.store.change(run, change);
          },
        };
        await advanceRun({ ...world.ports, runs }, world.run.runId);
      }
      expect(world.holds.filter(hold => world.stands(hold))).toHaveLength(1);
      await untilEnded(world);
      expect(world.holds.filter(hold => world.stands(hold))).toEqual([]);
      expect(world.run).toMatchObject({ state: 'cancelled', spent: 0 });
      expect(world.available()).toBe(people * price);
    },
  );

  it('fails after going wrong again and again, and keeps and charges what it delivered', async () => {
    const world = new World(people, 1_000);
    await advanceRun(world.ports, world.run.runId);
    const delivered = world.ownRows();
    for (let attempts = 0; attempts < 5; attempts += 1) {
      await noteRunFault(world.ports, world.run.runId, false);
    }
    await untilEnded(world);
    expect(world.run).toMatchObject({ state: 'failed', failure: 'could_not_continue', delivered });
    expect(world.charged()).toBe(delivered * price);
  });
});
