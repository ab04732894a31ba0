import type {
  AccountId,
  AllowanceUseId,
  CreditGrantId,
  EntryKind,
  GrantKind,
  HoldId,
  HoldState,
  RefundId,
} from '@mailproof/shared-types';

interface ModelGrant {
  readonly grantId: CreditGrantId;
  readonly kind: GrantKind;
  readonly amount: number;
  readonly grantedAtMs: number;
  readonly expiresAtMs: number;
  readonly refundId?: RefundId;
  available: number;
  held: number;
  spent: number;
  expired: number;
}

interface ModelHold {
  readonly holdId: HoldId;
  readonly runId: string;
  readonly amount: number;
  readonly expiresInMs: number;
  readonly parts: readonly { readonly grant: ModelGrant; readonly amount: number }[];
  expiresAtMs: number;
  state: HoldState;
  settled: number;
  refunded: number;
}

interface ModelCycle {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly credits: number;
  readonly allowed: number;
  used: number;
}

interface ModelUse {
  readonly useId: AllowanceUseId;
  readonly cycle: ModelCycle | undefined;
  readonly remaining: number;
  remainingAfterReturn?: number;
}

/**
 * A simple model of one account's ledger: credits expire the moment they are due, there is no sweep, and nothing is
 * concurrent.
 */
export class LedgerModel {
  readonly accountId: AccountId;
  nowMs: number;
  readonly grants: ModelGrant[] = [];
  readonly holds: ModelHold[] = [];
  readonly cycles: ModelCycle[] = [];
  readonly uses: ModelUse[] = [];
  /** Entries other than credit expiries, in order. */
  readonly entries: { kind: EntryKind; id: string; availableChange: number; heldChange: number }[] = [];

  constructor(accountId: AccountId, nowMs: number) {
    this.accountId = accountId;
    this.nowMs = nowMs;
  }

  get available(): number {
    return this.grants.reduce((sum, grant) => sum + grant.available, 0);
  }

  get held(): number {
    return this.grants.reduce((sum, grant) => sum + grant.held, 0);
  }

  get balance() {
    return { accountId: this.accountId, available: this.available, held: this.held };
  }

  passTime(ms: number): void {
    this.nowMs += ms;
    this.expireDue();
  }

  grant(
    grant: Pick<ModelGrant, 'grantId' | 'kind' | 'amount' | 'expiresAtMs'> & { refundId?: RefundId },
  ): void {
    const { amount } = grant;
    this.grants.push({
      ...grant,
      grantedAtMs: this.nowMs,
      available: amount,
      held: 0,
      spent: 0,
      expired: 0,
    });
    this.entries.push({ kind: 'grant', id: grant.grantId, availableChange: amount, heldChange: 0 });
    this.expireDue();
  }

  /** Returns whether the account had enough credits. */
  hold(request: Pick<ModelHold, 'holdId' | 'runId' | 'amount' | 'expiresInMs'>): boolean {
    if (request.amount > this.available) {
      return false;
    }
    const parts: { grant: ModelGrant; amount: number }[] = [];
    let missing = request.amount;
    for (const grant of this.inSpendingOrder()) {
      const amount = Math.min(missing, grant.available);
      if (amount > 0) {
        grant.available -= amount;
        grant.held += amount;
        missing -= amount;
        parts.push({ grant, amount });
      }
    }
    const expiresAtMs = this.nowMs + request.expiresInMs;
    this.holds.push({ ...request, parts, expiresAtMs, state: 'pending', settled: 0, refunded: 0 });
    this.entries.push({
      kind: 'hold',
      id: request.holdId,
      availableChange: -request.amount,
      heldChange: request.amount,
    });
    return true;
  }

  resolve(hold: ModelHold, state: Exclude<HoldState, 'pending'>, delivered: number): void {
    let undelivered = delivered;
    for (const { grant, amount } of hold.parts) {
      const spent = Math.min(undelivered, amount);
      undelivered -= spent;
      grant.held -= amount;
      grant.spent += spent;
      grant.available += amount - spent;
    }
    hold.state = state;
    hold.settled = delivered;
    const kinds = { settled: 'settle', released: 'release', expired: 'expire' } as const;
    this.entries.push({
      kind: kinds[state],
      id: hold.holdId,
      availableChange: hold.amount - delivered,
      heldChange: -hold.amount,
    });
    this.expireDue();
  }

  /** The state reported to callers: an overdue hold counts as expired. */
  stateOf(hold: ModelHold): HoldState {
    return hold.state === 'pending' && hold.expiresAtMs <= this.nowMs ? 'expired' : hold.state;
  }

  currentCycle(): ModelCycle | undefined {
    return this.cycles
      .filter(({ startsAtMs, endsAtMs }) => startsAtMs <= this.nowMs && endsAtMs > this.nowMs)
      .sort((one, other) => other.startsAtMs - one.startsAtMs)[0];
  }

  inSpendingOrder(): ModelGrant[] {
    return [...this.grants].sort(
      (one, other) =>
        compare(one.expiresAtMs, other.expiresAtMs) ||
        compare(one.grantedAtMs, other.grantedAtMs) ||
        compare(one.grantId, other.grantId),
    );
  }

  private expireDue(): void {
    for (const grant of this.grants.filter(({ expiresAtMs }) => expiresAtMs <= this.nowMs)) {
      grant.expired += grant.available;
      grant.available = 0;
    }
  }
}

function compare<Value extends number | string>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
