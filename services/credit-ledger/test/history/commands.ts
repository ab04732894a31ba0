import { type AllowanceName, allowanceNames, newId } from '@mailproof/shared-types';
import fc from 'fast-check';
import type { AllowanceStore } from '../../src/domain/allowance.ts';
import type { GrantOutcome, LedgerStore, ResolveOutcome } from '../../src/domain/ledger.ts';
import type { StatementStore } from '../../src/domain/statement.ts';
import type { LedgerModel } from './ledger-model.ts';

/** The ledger under test, on a clock that follows the model's. */
export interface RealLedger {
  readonly ledger: LedgerStore;
  readonly allowances: AllowanceStore;
  readonly statements: StatementStore;
  readonly clock: { nowMs: number };
}

export type LedgerCommand = fc.AsyncCommand<LedgerModel, RealLedger>;

/** One time unit of a history; everything lasts a few units, so that things often end at the same moment. */
const unitMs = 60_000;
const [allowanceName] = allowanceNames as [AllowanceName];
const cause = 'test-run';

function command(
  name: string,
  run: (model: LedgerModel, real: RealLedger) => Promise<void>,
  check: (model: LedgerModel) => boolean = () => true,
): LedgerCommand {
  return { check, run, toString: () => name };
}

function same(what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) {
    throw new Error(`${what}: the ledger says ${got}, the model ${wanted}`);
  }
}

function granted(model: LedgerModel): GrantOutcome {
  return { kind: 'granted', balance: model.balance };
}

const grants = fc
  .record({
    amount: fc.integer({ min: 1, max: 20 }),
    kind: fc.constantFrom('top_up' as const, 'adjustment' as const),
    units: fc.option(fc.integer({ min: -1, max: 6 })),
  })
  .map(({ amount, kind, units }) =>
    command(`grant ${amount} for ${units ?? 'ever'}`, async (model, { ledger }) => {
      const grantId = newId('creditGrant');
      const expiresAt = units === null ? null : new Date(model.nowMs + units * unitMs);
      const body = { grantId, accountId: model.accountId, kind, amount, expiresAt, cause };
      const first = await ledger.grant(body);
      model.grant({ grantId, kind, amount, expiresAtMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY });
      same('grant', first, granted(model));
      same('grant again', await ledger.grant(body), granted(model));
      same('other grant of this id', await ledger.grant({ ...body, amount: amount + 1 }), {
        kind: 'idReused',
      });
    }),
  );

const cycles = fc
  .record({
    credits: fc.integer({ min: 0, max: 20 }),
    start: fc.integer({ min: -2, max: 1 }),
    length: fc.integer({ min: 1, max: 6 }),
    allowed: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ credits, start, length, allowed }) =>
    command(`open cycle of ${credits} from ${start} for ${length}`, async (model, { ledger }) => {
      const startsAtMs = model.nowMs + start * unitMs;
      const endsAtMs = startsAtMs + length * unitMs;
      const grantId = newId('creditGrant');
      const earlier = model.cycles.find(cycle => cycle.startsAtMs === startsAtMs);
      const outcome = await ledger.openCycle({
        accountId: model.accountId,
        startsAt: new Date(startsAtMs),
        endsAt: new Date(endsAtMs),
        credits,
        grantId,
        allowances: { [allowanceName]: allowed },
        cause,
      });
      if (earlier) {
        const isSame =
          earlier.endsAtMs === endsAtMs && earlier.credits === credits && earlier.allowed === allowed;
        same('cycle again', outcome, isSame ? granted(model) : { kind: 'idReused' });
        return;
      }
      model.cycles.push({ startsAtMs, endsAtMs, credits, allowed, used: 0 });
      if (credits > 0) {
        model.grant({ grantId, kind: 'cycle', amount: credits, expiresAtMs: endsAtMs });
      }
      same('cycle', outcome, granted(model));
    }),
  );

const holds = fc
  .record({ amount: fc.integer({ min: 1, max: 15 }), units: fc.integer({ min: 1, max: 4 }) })
  .map(({ amount, units }) =>
    command(`hold ${amount} for ${units}`, async (model, { ledger }) => {
      const request = {
        holdId: newId('hold'),
        accountId: model.accountId,
        runId: newId('request'),
        amount,
        cause,
        expiresInMs: units * unitMs,
      };
      const outcome = await ledger.hold(request);
      if (!model.hold(request)) {
        same('hold', outcome, { kind: 'creditsExhausted', available: model.available });
        return;
      }
      const { holdId } = request;
      const told = (each: typeof outcome) => each.kind === 'held' && [each.hold.holdId, each.hold.available];
      same('hold', told(outcome), [holdId, model.available]);
      same('hold again', told(await ledger.hold({ ...request, holdId: newId('hold') })), [
        holdId,
        model.available,
      ]);
      same(
        'other hold of this run',
        await ledger.hold({ ...request, holdId: newId('hold'), amount: amount + 1 }),
        {
          kind: 'idReused',
        },
      );
    }),
  );

/** Chooses one of the created holds, in any state. */
function onHold(
  name: string,
  run: (model: LedgerModel, real: RealLedger, hold: LedgerModel['holds'][number]) => Promise<void>,
) {
  return fc.nat({ max: 1_000 }).map(index =>
    command(
      `${name} ${index}`,
      async (model, real) => {
        const hold = model.holds[index % model.holds.length];
        if (hold) {
          await run(model, real, hold);
        }
      },
      model => model.holds.length > 0,
    ),
  );
}

function told(outcome: ResolveOutcome): unknown {
  return outcome.kind === 'resolved'
    ? [outcome.hold.state, outcome.hold.settled, outcome.hold.expiresAt.getTime(), outcome.hold.available]
    : outcome;
}

function resolved(model: LedgerModel, hold: LedgerModel['holds'][number]): unknown {
  return [hold.state, hold.settled, hold.expiresAtMs, model.available];
}

const settlements = fc.integer({ min: 0, max: 16 }).chain(wanted =>
  onHold(`settle ${wanted} of hold`, async (model, { ledger }, hold) => {
    const outcome = await ledger.settle(hold.holdId, wanted);
    const state = model.stateOf(hold);
    if (state === 'pending' && wanted <= hold.amount) {
      model.resolve(hold, 'settled', wanted);
      same('settle', told(outcome), resolved(model, hold));
    } else if (state === 'settled' && hold.settled === wanted) {
      same('settle again', told(outcome), resolved(model, hold));
    } else {
      const isOther = state === 'pending' || state === 'settled';
      same('settle otherwise', outcome, isOther ? { kind: 'idReused' } : { kind: 'notPending', state });
    }
  }),
);

const releases = onHold('release hold', async (model, { ledger }, hold) => {
  const outcome = await ledger.release(hold.holdId);
  if (hold.state === 'pending') {
    model.resolve(hold, 'released', 0);
  }
  same(
    'release',
    told(outcome),
    hold.state === 'settled' ? { kind: 'notPending', state: 'settled' } : resolved(model, hold),
  );
});

const renewals = fc.integer({ min: 1, max: 4 }).chain(units =>
  onHold(`renew for ${units} hold`, async (model, { ledger }, hold) => {
    const outcome = await ledger.renew(hold.holdId, units * unitMs);
    const state = model.stateOf(hold);
    if (state === 'pending') {
      hold.expiresAtMs = Math.max(hold.expiresAtMs, model.nowMs + units * unitMs);
    }
    same('renew', told(outcome), state === 'pending' ? resolved(model, hold) : { kind: 'notPending', state });
  }),
);

const refunds = fc.integer({ min: 1, max: 8 }).chain(amount =>
  onHold(`refund ${amount} of hold`, async (model, { ledger }, hold) => {
    const refundId = newId('refund');
    const grantId = newId('creditGrant');
    const { accountId } = model;
    const body = { refundId, grantId, accountId, runId: hold.runId, amount, validDays: 1, cause };
    const outcome = await ledger.refund(body);
    if (hold.state !== 'settled') {
      same('refund of what is not settled', outcome, { kind: 'notFound' });
    } else if (hold.refunded + amount > hold.settled) {
      same('refund of too much', outcome, { kind: 'exceedsSpent' });
    } else {
      hold.refunded += amount;
      model.grant({ grantId, kind: 'refund', amount, expiresAtMs: model.nowMs + 86_400_000, refundId });
      same('refund', outcome, granted(model));
      same('refund again', await ledger.refund({ ...body, grantId: newId('creditGrant') }), granted(model));
      same('other refund of this id', await ledger.refund({ ...body, amount: amount + 1 }), {
        kind: 'idReused',
      });
    }
  }),
);

const takings = fc.constant(
  command('take allowance', async (model, { allowances }) => {
    const use = { useId: newId('allowanceUse'), accountId: model.accountId, allowance: allowanceName, cause };
    const cycle = model.currentCycle();
    const taken = cycle !== undefined && cycle.used < cycle.allowed;
    if (cycle && taken) {
      cycle.used += 1;
    }
    const remaining = cycle && taken ? cycle.allowed - cycle.used : 0;
    model.uses.push({ useId: use.useId, cycle: taken ? cycle : undefined, remaining });
    const expected = { kind: 'answered', taken, remaining };
    same('take', await allowances.take(use), expected);
    same('take again', await allowances.take(use), expected);
    same('other use of this id', await allowances.take({ ...use, cause: 'other' }), { kind: 'idReused' });
  }),
);

const returns = fc.nat({ max: 1_000 }).map(index =>
  command(
    `return use ${index}`,
    async (model, { allowances }) => {
      const use = model.uses[index % model.uses.length];
      if (!use) {
        return;
      }
      if (use.cycle && use.remainingAfterReturn === undefined) {
        use.cycle.used -= 1;
        use.remainingAfterReturn = use.cycle.allowed - use.cycle.used;
      }
      same('return', await allowances.returnUse(use.useId), {
        kind: 'answered',
        remaining: use.remainingAfterReturn ?? use.remaining,
      });
    },
    model => model.uses.length > 0,
  ),
);

const passings = fc.integer({ min: 1, max: 3 }).map(units =>
  command(`pass ${units}`, async (model, { clock }) => {
    model.passTime(units * unitMs);
    clock.nowMs = model.nowMs;
  }),
);

const sweeps = fc.constant(command('sweep', sweepAll));

/** Expires everything due in this account, which the model does automatically. */
export async function sweepAll(model: LedgerModel, { ledger }: RealLedger): Promise<void> {
  for (;;) {
    const expired = await ledger.expireOne(model.accountId);
    const hold = model.holds.find(({ holdId }) => holdId === expired?.holdId);
    if (!hold) {
      break;
    }
    same('swept hold', model.stateOf(hold), 'expired');
    model.resolve(hold, 'expired', 0);
  }
  same(
    'holds that the sweep left',
    model.holds.filter(hold => hold.state === 'pending' && model.stateOf(hold) === 'expired'),
    [],
  );
  await ledger.expireCredits(model.accountId);
  same('what the second sweep found', await ledger.expireCredits(model.accountId), undefined);
}

/** All operations of the ledger, with time passing in between. */
export const ledgerCommands = [
  grants,
  cycles,
  holds,
  holds,
  settlements,
  releases,
  renewals,
  refunds,
  takings,
  returns,
  passings,
  sweeps,
];
