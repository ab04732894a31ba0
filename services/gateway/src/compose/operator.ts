import { createOperationClient, createTokenSigner } from '@mailproof/service-kit';
import type { AccountId, ServiceName } from '@mailproof/shared-types';
import { createKeySealer } from '../adapters/jose/key-sealer.ts';
import { createCreditLedgerClient } from '../adapters/peers/charging.ts';
import { createAccountStore } from '../adapters/postgres/account-store.ts';
import { createBillingStore } from '../adapters/postgres/billing-store.ts';
import { createDeletionStore } from '../adapters/postgres/deletion-store.ts';
import { createKeyStore } from '../adapters/postgres/key-store.ts';
import { createNamedKeyStore } from '../adapters/postgres/named-key-store.ts';
import { openDatabase } from '../adapters/postgres/open.ts';
import { graceDaysDefault, type OperatorConfig } from '../config.ts';
import type { AccountStore } from '../domain/accounts/account.ts';
import type { DeletionStore } from '../domain/accounts/delete-account.ts';
import type { BillingStore } from '../domain/billing/billing-store.ts';
import type { Reconciliation } from '../domain/billing/receive-payment.ts';
import type { KeySealer } from '../domain/keys/key-sealer.ts';
import type { KeyStore } from '../domain/keys/key-store.ts';
import type { NamedKeyStore } from '../domain/keys/named-key.ts';
import { stripeOf } from '../stripe-settings.ts';
import { composeOwners, type Owners } from './owners.ts';
import type { PaymentOptions } from './payment.ts';

/** The stores and clients that the operator's commands use. */
export interface Operator {
  readonly accounts: AccountStore;
  readonly owners: Owners;
  readonly billing: BillingStore;
  readonly keys: KeyStore;
  readonly namedKeys: Pick<NamedKeyStore, 'list'>;
  /** Absent without `KEY_ENCRYPTION_KEYS`. */
  readonly sealer: KeySealer | undefined;
  /** Credits that an account can spend; absent if the ledger is not configured. */
  readonly available: ((accountId: AccountId) => Promise<number>) | undefined;
  readonly graceDays: number;
  /** Absent if no payment provider is configured. */
  readonly reconcile: ((days: number | undefined) => Promise<Reconciliation>) | undefined;
  readonly deletions: DeletionStore;
  close(): Promise<void>;
}

const ledgerCallDeadlineMs = 3_000;

export function composeOperator(
  config: Pick<OperatorConfig, 'DATABASE_URL'> & Partial<OperatorConfig>,
): Operator {
  const { DATABASE_URL: url, KEY_ENCRYPTION_KEYS: ring } = config;
  const database = openDatabase({ url, connectionsMax: 2, onIdleError: () => undefined });
  const sealer = ring && createKeySealer(ring);
  const ledger = openLedger(config);
  const billing = createBillingStore(database, sealer);
  const graceDays = config.BILLING_GRACE_DAYS ?? graceDaysDefault;
  return {
    accounts: createAccountStore(database.prisma, sealer),
    owners: composeOwners(database.pool),
    billing,
    keys: createKeyStore(database.prisma, sealer),
    namedKeys: createNamedKeyStore(database.prisma),
    sealer,
    available: ledger?.available,
    deletions: createDeletionStore(database.pool),
    graceDays,
    reconcile: openReconciliation(config, { prisma: database.prisma, billing, graceDays }),
    async close() {
      await Promise.all([ledger?.close(), database.close()]);
    },
  };
}

function openReconciliation(
  config: Partial<OperatorConfig>,
  stores: Pick<PaymentOptions, 'prisma' | 'billing' | 'graceDays'>,
): Operator['reconcile'] {
  const stripe = stripeOf(config);
  return (
    stripe &&
    (async days => {
      const { composePayment } = await import('./payment.ts');
      // The command prints what it finds.
      const events = { paymentReceived: () => undefined, paymentMissing: () => undefined };
      const options = { ...stores, stripe, publicBaseUrl: '', events, now: () => new Date() };
      return composePayment(options).reconcile(days);
    })
  );
}

function openLedger({ CREDIT_LEDGER_URL: baseUrl, SERVICE_SIGNING_KEY: key }: Partial<OperatorConfig>) {
  if (!baseUrl || !key) {
    return undefined;
  }
  const signer = createTokenSigner(key);
  const sign = async (audience: ServiceName) => (await signer)(audience);
  const peer = createOperationClient({ baseUrl, audience: 'credit-ledger', sign });
  const { available } = createCreditLedgerClient(peer, {
    callDeadlineMs: ledgerCallDeadlineMs,
    // The operator's commands hold no credits.
    holdExpiresInMs: 0,
  });
  return { available, close: () => peer.close() };
}
