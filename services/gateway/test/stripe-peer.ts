import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

/** A Checkout session of the peer. */
export interface PeerSession {
  readonly id: string;
  readonly url: string;
  status: 'open' | 'complete' | 'expired';
  readonly customer: string;
  readonly mode: string;
  readonly price: string;
  readonly params: Params;
}

export interface PeerSubscription {
  readonly id: string;
  readonly customer: string;
  price: string;
  status: string;
  cancel_at_period_end: boolean;
  readonly metadata: Record<string, string>;
  readonly created: number;
}

export type PeerInvoice = Record<string, unknown> & { readonly id: string };

type Params = ReadonlyMap<string, string>;
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Params;
  readonly params: Params;
}
type Answer = { readonly status: number; readonly body: object };

/** A small Stripe with a memory: customers, Checkout, subscriptions, invoices, idempotency keys and signed events. */
export interface StripePeer {
  readonly url: string;
  readonly customers: Map<string, object>;
  readonly sessions: Map<string, PeerSession>;
  readonly subscriptions: Map<string, PeerSubscription>;
  readonly invoices: Map<string, PeerInvoice>;
  /** Pays on the page of a session, as its customer does; returns the invoice. */
  pay(url: string): PeerInvoice;
  /** Collects the next month of a subscription. */
  renew(subscriptionId: string): PeerInvoice;
  /** Adds an invoice that our application did not cause. */
  addInvoice(accountId: string | undefined, price: string): PeerInvoice;
  /** Sends an event to the webhook; returns the status. */
  deliver(gatewayUrl: string, event: PeerEvent): Promise<number>;
  close(): Promise<void>;
}

export interface PeerEvent {
  readonly type: string;
  readonly object: object;
  readonly secret?: string;
  /** The time of the signature, in seconds. */
  readonly signedAt?: number;
}

export const stripeWebhookSecret = 'whsec_test';
const stripe = new Stripe('sk_test_peer');
const monthSeconds = 31 * 86_400;

export async function startStripePeer(): Promise<StripePeer> {
  const customers = new Map<string, object>();
  const sessions = new Map<string, PeerSession>();
  const subscriptions = new Map<string, PeerSubscription>();
  const invoices = new Map<string, PeerInvoice>();
  const kept = new Map<string, { readonly sent: string; readonly answer: Answer }>();
  let number = 0;
  const idOf = (prefix: string) => {
    number += 1;
    return `${prefix}_${String(number).padStart(6, '0')}`;
  };
  const nowSeconds = () => Math.floor(Date.now() / 1_000);

  function addInvoice(
    price: string,
    { metadata = {}, parent }: { metadata?: object; parent?: object },
  ): PeerInvoice {
    const id = idOf('in');
    const start = nowSeconds();
    const isSubscription = parent !== undefined;
    const line = {
      id: idOf('il'),
      quantity: 1,
      period: { start, end: isSubscription ? start + monthSeconds : start },
      pricing: { type: 'price_details', price_details: { price, product: 'prod_1' } },
      parent: isSubscription
        ? { type: 'subscription_item_details', subscription_item_details: { proration: false } }
        : { type: 'invoice_item_details', subscription_item_details: null },
    };
    const invoice = {
      id,
      object: 'invoice',
      status: 'paid',
      created: start,
      metadata,
      parent: parent ?? null,
      lines: { object: 'list', data: [line], has_more: false },
    };
    invoices.set(id, invoice);
    return invoice;
  }

  function invoiceOf({ id, price, metadata }: PeerSubscription): PeerInvoice {
    const details = { metadata, subscription: id };
    return addInvoice(price, { parent: { type: 'subscription_details', subscription_details: details } });
  }

  function answerOf(asked: Asked): Answer {
    const [kind = '', id = '', action = ''] = asked.path.replace(/^\/v1\//, '').split('/');
    switch (`${asked.method} ${kind}`) {
      case 'POST customers': {
        const customer = { id: idOf('cus'), object: 'customer' };
        customers.set(customer.id, customer);
        return found(customer);
      }
      case 'POST checkout':
        return id === 'sessions' && action === '' ? openSession(asked.params) : endSession(asked.path);
      case 'GET checkout':
        return listOf([...sessions.values()].filter(each => matches(each, asked.query)).map(shownSession));
      case 'POST billing_portal':
        return found({
          id: idOf('bps'),
          url: `https://billing.stripe.example/${asked.params.get('customer')}`,
        });
      case 'GET invoices':
        return id === '' ? listInvoices(asked.query) : found(invoices.get(id));
      case 'GET subscriptions':
        return id === ''
          ? listOf(
              [...subscriptions.values()]
                .filter(each => each.customer === asked.query.get('customer'))
                .flatMap(each => shownSubscription(each) ?? []),
            )
          : found(shownSubscription(subscriptions.get(id)));
      case 'POST subscriptions':
        return change(subscriptions.get(id), asked.params);
      case 'DELETE subscriptions':
        return change(subscriptions.get(id), new Map([['status', 'canceled']]));
      default:
        return { status: 404, body: { error: { type: 'invalid_request_error', message: asked.path } } };
    }
  }

  function openSession(params: Params): Answer {
    const id = idOf('cs');
    const customer = params.get('customer') ?? '';
    const price = params.get('line_items[0][price]') ?? '';
    if (!customers.has(customer) || !price.startsWith('price_')) {
      return refused('no such customer or price');
    }
    const mode = params.get('mode') ?? '';
    const url = `https://checkout.stripe.example/${id}`;
    const session: PeerSession = { id, url, status: 'open', customer, mode, price, params };
    sessions.set(id, session);
    return found(shownSession(session));
  }

  function endSession(path: string): Answer {
    const session = sessions.get(path.split('/').at(-2) ?? '');
    if (session?.status !== 'open') {
      return refused('the session is not open');
    }
    session.status = 'expired';
    return found(shownSession(session));
  }

  function listInvoices(query: Params): Answer {
    const since = Number(query.get('created[gte]') ?? 0);
    const all = [...invoices.values()].filter(
      ({ created, status }) => Number(created) >= since && status === query.get('status'),
    );
    // Pages of two, so that a few invoices need several.
    const from = all.findIndex(({ id }) => id === query.get('starting_after')) + 1;
    return listOf(all.slice(from, from + 2), all.length > from + 2);
  }

  function change(subscription: PeerSubscription | undefined, params: Params): Answer {
    if (!subscription || subscription.status === 'canceled') {
      return { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing' } } };
    }
    subscription.status = params.get('status') ?? subscription.status;
    subscription.price = params.get('items[0][price]') ?? subscription.price;
    const ends = params.get('cancel_at_period_end');
    subscription.cancel_at_period_end = ends ? ends === 'true' : subscription.cancel_at_period_end;
    for (const [name, value] of params) {
      const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
      if (key !== undefined) subscription.metadata[key] = value;
    }
    return found(shownSubscription(subscription));
  }

  /** Answers a repeated request as the first one, and refuses one with other parameters. */
  function answerOnce(asked: Asked, sent: string, key: string | undefined): Answer {
    const known = key === undefined ? undefined : kept.get(key);
    if (known) {
      return known.sent === sent
        ? known.answer
        : { status: 400, body: { error: { type: 'idempotency_error', message: 'other parameters' } } };
    }
    const answer = answerOf(asked);
    if (key !== undefined) kept.set(key, { sent, answer });
    return answer;
  }

  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const url = new URL(request.url ?? '/', 'http://stripe');
    const asked = {
      method: request.method ?? '',
      path: url.pathname,
      query: new Map(url.searchParams),
      params: new Map(new URLSearchParams(text)),
    };
    const key = request.headers['idempotency-key']?.toString();
    const { status, body } = answerOnce(asked, `${url.pathname} ${text}`, key);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    customers,
    sessions,
    subscriptions,
    invoices,
    pay(url) {
      const session = [...sessions.values()].find(each => each.url === url);
      if (session?.status !== 'open') throw new Error(`There is no open page ${url}.`);
      session.status = 'complete';
      const account = (form: string) => ({ account_id: session.params.get(`${form}[account_id]`) ?? '' });
      if (session.mode === 'payment') {
        return addInvoice(session.price, { metadata: account('invoice_creation[invoice_data][metadata]') });
      }
      const subscription: PeerSubscription = {
        id: idOf('sub'),
        customer: session.customer,
        price: session.price,
        status: 'active',
        cancel_at_period_end: false,
        metadata: account('subscription_data[metadata]'),
        created: nowSeconds() + number,
      };
      subscriptions.set(subscription.id, subscription);
      return invoiceOf(subscription);
    },
    renew(subscriptionId) {
      const subscription = subscriptions.get(subscriptionId);
      if (subscription?.status !== 'active') throw new Error(`${subscriptionId} is not active.`);
      return invoiceOf(subscription);
    },
    addInvoice: (accountId, price) =>
      addInvoice(price, accountId ? { metadata: { account_id: accountId } } : {}),
    async deliver(gatewayUrl, { type, object, secret = stripeWebhookSecret, signedAt = nowSeconds() }) {
      const payload = JSON.stringify({ id: idOf('evt'), object: 'event', type, data: { object } });
      const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: signedAt });
      const response = await fetch(`${gatewayUrl}/payments/v1/stripe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body: payload,
        signal: AbortSignal.timeout(60_000),
      });
      await response.arrayBuffer();
      return response.status;
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function found(body: object | undefined): Answer {
  return body
    ? { status: 200, body }
    : { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing' } } };
}

function refused(message: string): Answer {
  return { status: 400, body: { error: { type: 'invalid_request_error', message } } };
}

function listOf(data: readonly object[], hasMore = false): Answer {
  return found({ object: 'list', data, has_more: hasMore });
}

function matches({ customer, status }: PeerSession, query: Params): boolean {
  return customer === query.get('customer') && status === query.get('status');
}

function shownSession({ id, url, status, mode, params }: PeerSession) {
  const metadata: Record<string, string> = {};
  for (const [name, value] of params) {
    const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    if (key !== undefined) metadata[key] = value;
  }
  return { id, object: 'checkout.session', url, status, mode, metadata };
}

function shownSubscription(subscription: PeerSubscription | undefined) {
  return (
    subscription && {
      ...subscription,
      object: 'subscription',
      items: { object: 'list', data: [{ id: `si_${subscription.id}`, price: { id: subscription.price } }] },
    }
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
