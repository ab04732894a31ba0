import { accountId as accountIdSchema } from '@mailproof/shared-types';
import { BillingFault, type BillingFaultKind, payFor, topUp } from './billing.ts';
import { type BillingStore, invoiceReferencePrefix } from './billing-store.ts';
import type { Invoice, PaymentProvider } from './payment-port.ts';

/**
 * What became of an invoice. `unplaced`: it is paid, but the account does not exist or cannot use the payment, so the
 * operator must decide.
 */
export type Receipt = 'recorded' | 'repeated' | 'unplaced' | 'ignored';

export interface PaymentEvents {
  paymentReceived(invoice: Invoice, receipt: Receipt, through: 'webhook' | 'reconciliation'): void;
  paymentMissing(invoiceId: string): void;
}

export interface ReceivingPorts {
  readonly billing: Pick<BillingStore, 'change' | 'recordedReferences' | 'recordedSince'>;
  readonly provider: Pick<PaymentProvider, 'invoice' | 'paidInvoices'>;
  readonly events: PaymentEvents;
  readonly now: () => Date;
  readonly graceDays: number;
}

/** Faults that stay when the payment is repeated. */
const lasting: readonly BillingFaultKind[] = ['other_plan', 'needs_no_payment', 'paid_too_far_ahead'];

/** Reads an invoice that the provider has reported, and records its payment. */
export async function receivePayment(ports: ReceivingPorts, invoiceId: string): Promise<Receipt> {
  const invoice = await ports.provider.invoice(invoiceId);
  if (!invoice?.isPaid) {
    return 'ignored';
  }
  return record(ports, invoice, 'webhook');
}

export interface Reconciliation {
  readonly invoices: number;
  /** Payments that no webhook had reported. */
  readonly recorded: readonly string[];
  /** Paid invoices that the operator must decide on. */
  readonly unplaced: readonly string[];
  /** Recorded payments whose invoice the provider does not have, or not as paid. */
  readonly missing: readonly string[];
}

/** Compares the provider's paid invoices since a time with the recorded payments, and records those that are absent. */
export async function reconcilePayments(ports: ReceivingPorts, since: Date): Promise<Reconciliation> {
  const found = new Set<string>();
  const recorded: string[] = [];
  const unplaced: string[] = [];
  for await (const invoices of ports.provider.paidInvoices(since)) {
    const known = await ports.billing.recordedReferences(invoices.map(referenceOf));
    for (const invoice of invoices) {
      found.add(invoice.invoiceId);
      const receipt = known.has(referenceOf(invoice))
        ? 'repeated'
        : await record(ports, invoice, 'reconciliation');
      if (receipt === 'recorded') recorded.push(invoice.invoiceId);
      if (receipt === 'unplaced') unplaced.push(invoice.invoiceId);
    }
  }
  return { invoices: found.size, recorded, unplaced, missing: await findMissing(ports, since, found) };
}

async function findMissing(
  { billing, provider, events }: ReceivingPorts,
  since: Date,
  found: ReadonlySet<string>,
): Promise<string[]> {
  const missing: string[] = [];
  for (const reference of await billing.recordedSince(since)) {
    const invoiceId = reference.slice(invoiceReferencePrefix.length);
    // An invoice may be older than its payment.
    if (!found.has(invoiceId) && !(await provider.invoice(invoiceId))?.isPaid) {
      events.paymentMissing(invoiceId);
      missing.push(invoiceId);
    }
  }
  return missing;
}

async function record(
  ports: ReceivingPorts,
  invoice: Invoice,
  through: 'webhook' | 'reconciliation',
): Promise<Receipt> {
  const receipt = await place(ports, invoice);
  ports.events.paymentReceived(invoice, receipt, through);
  return receipt;
}

async function place({ billing, now, graceDays }: ReceivingPorts, invoice: Invoice): Promise<Receipt> {
  const { buys } = invoice;
  if (!buys) {
    return 'ignored';
  }
  const accountId = accountIdSchema.safeParse(invoice.accountId);
  if (!accountId.success || buys === 'several') {
    return 'unplaced';
  }
  const at = now();
  try {
    const change = await billing.change(
      accountId.data,
      before =>
        buys.kind === 'plan' ? payFor(before, buys, at, graceDays) : topUp(before, buys.credits, at),
      { now: at, graceDays, by: 'payment', paymentReference: referenceOf(invoice) },
    );
    return change ? 'recorded' : 'unplaced';
  } catch (error) {
    if (!(error instanceof BillingFault)) throw error;
    if (error.kind === 'already_recorded') return 'repeated';
    if (lasting.includes(error.kind)) return 'unplaced';
    throw error;
  }
}

function referenceOf({ invoiceId }: Invoice): string {
  return `${invoiceReferencePrefix}${invoiceId}`;
}
