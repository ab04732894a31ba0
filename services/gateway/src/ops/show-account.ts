import type { AccountId } from '@mailproof/shared-types';
import type { Operator } from '../compose/operator.ts';
import { rateOf } from '../domain/accounts/account.ts';
import { lapsesAt, paymentState } from '../domain/billing/billing.ts';
import type { AccountBilling } from '../domain/billing/billing-store.ts';
import { keyStateOf } from '../domain/keys/key-store.ts';
import { namedKeyStateOf } from '../domain/keys/named-key.ts';

export type AccountShown = NonNullable<Awaited<ReturnType<typeof accountShown>>>;

/** Everything that the operator may see of an account, which excludes its keys. */
export async function accountShown(operator: Operator, id: AccountId, at: Date) {
  const read = await operator.billing.read(id);
  if (!read) {
    return undefined;
  }
  const { billing } = read;
  const key = await operator.keys.activeKey(id);
  const namedKeys = await operator.namedKeys.list(id);
  return {
    accountId: id,
    name: read.name,
    createdAt: read.createdAt,
    plan: billing.plan,
    requestsPerSecond: rateOf(billing.plan, read.requestsPerSecondAgreed ?? null),
    cycle: billing.cycle ?? null,
    payment: {
      state: paymentState(billing, at),
      paidUntil: billing.paidUntil ?? null,
      lapsesAt: lapsesAt(billing, operator.graceDays) ?? null,
      lapsed: billing.lapsed ?? null,
    },
    pendingChange: billing.pending ?? null,
    key: key
      ? {
          apiKeyId: key.apiKeyId,
          displayPrefix: key.displayPrefix,
          state: keyStateOf(billing.plan),
          canBeShown: key.sealed !== undefined,
        }
      : null,
    namedKeys: namedKeys.map(({ createdBy: _user, ...each }) => ({
      ...each,
      state: namedKeyStateOf(each, billing.plan, at),
    })),
    // Grants that the ledger does not know yet are not in the balance.
    grantsOnTheirWay: await operator.accounts.pendingGrants(id),
    ...(await balanceOf(operator, id)),
  };
}

/** The balance in the ledger, or why it was not requested. */
async function balanceOf({ available }: Operator, id: AccountId) {
  if (!available) {
    return {
      creditsAvailable: null,
      balanceNote: 'not requested: set CREDIT_LEDGER_URL and SERVICE_SIGNING_KEY',
    };
  }
  try {
    return { creditsAvailable: await available(id) };
  } catch {
    return { creditsAvailable: null, balanceNote: 'the ledger is not responding' };
  }
}

export function accountInWords(shown: AccountShown): string {
  const { cycle, payment, pendingChange, key, namedKeys } = shown;
  const rows: [string, string | undefined][] = [
    ['Account', `${shown.accountId} (${shown.name})`],
    ['Plan', `${shown.plan}, ${shown.requestsPerSecond} requests per second`],
    ['Cycle', cycle ? `${day(cycle.startsAt)} to ${day(cycle.endsAt)}` : 'not started'],
    ['Payment', paymentInWords(payment)],
    [
      'Pending',
      pendingChange
        ? `${pendingChange.plan}, ${pendingChange.takesEffect === 'on_payment' ? 'once it is paid' : 'at the end of the cycle'}`
        : undefined,
    ],
    [
      'API key',
      key
        ? `${key.displayPrefix}… ${key.state} (${key.apiKeyId})${key.canBeShown ? '' : ', cannot be displayed: regenerate it'}`
        : 'none',
    ],
    ...namedKeys.map(({ displayPrefix, state, apiKeyId, name, mode, scopes }): [string, string] => [
      'Key',
      `${displayPrefix}… ${state} (${apiKeyId}) “${name}”: ${mode}, ${scopes.join(', ')}`,
    ]),
    ['Credits', creditsInWords(shown)],
  ];
  return rows
    .filter(([, text]) => text !== undefined)
    .map(([title, text]) => `${title.padEnd(8)} ${text}`)
    .join('\n');
}

function creditsInWords({ creditsAvailable, balanceNote, grantsOnTheirWay }: AccountShown): string {
  const credits = creditsAvailable === null ? (balanceNote ?? 'unknown') : String(creditsAvailable);
  return grantsOnTheirWay > 0 ? `${credits}, more pending in the ledger` : credits;
}

function paymentInWords({ state, paidUntil, lapsesAt: until, lapsed }: AccountShown['payment']): string {
  if (lapsed) {
    return `${lapsed.plan} lapsed on ${day(lapsed.at)}`;
  }
  if (!paidUntil || !until) {
    return 'not required';
  }
  return `${state} until ${day(paidUntil)}, lapses on ${day(until)} otherwise`.replace(
    'overdue until',
    'overdue, was paid until',
  );
}

/** One line of the list. */
export function listLine({ accountId, name, billing }: AccountBilling, at: Date): string {
  const until = billing.cycle ? `cycle until ${day(billing.cycle.endsAt)}` : 'no cycle yet';
  return [accountId, billing.plan.padEnd(7), paymentState(billing, at).padEnd(10), until, name].join('  ');
}

function day(moment: Date): string {
  return moment.toISOString();
}
