import {
  countRequest,
  type Guard,
  networkOf,
  Problem,
  type RateWindows,
  type Route,
  readBounded,
  refusalHeaders,
  route,
} from '@mailproof/service-kit';
import { defineOperation, streamedBody } from '@mailproof/shared-types';
import { z } from 'zod';
import type { PaymentEvent, PaymentProvider } from '../domain/billing/payment-port.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';

const none = z.strictObject({});
const eventBytesMax = 1_048_576;
/** The most events per second from one client address; Stripe sends the others again. */
const eventsPerSecondMax = 100;
const windowMs = 1_000;

/** Takes Stripe's events. It exists only while Stripe is configured, so the contract does not list it. */
const receivePaymentEvent = defineOperation({
  id: 'receive-payment-event',
  method: 'post',
  path: '/payments/v1/stripe',
  summary: 'Receive an event of Stripe',
  description: 'The URL of the webhook endpoint at Stripe. Other senders have no valid signature.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  params: none,
  query: none,
  body: streamedBody,
  bodyBytesMax: eventBytesMax,
  bodyMediaType: 'application/json',
  bodyIsUndecoded: true,
  success: { status: 200, description: 'It is handled.', schema: z.object({ received: z.literal(true) }) },
  repeatable: true,
  problems: ['too_many_requests'],
});

export interface PaymentRouteOptions {
  readonly rateLimiter: RateWindows;
  /** Verifies an event; returns undefined if its signature is not valid. */
  readonly verify: (content: Uint8Array, signature: string) => PaymentEvent | undefined;
  readonly receive: (event: PaymentEvent) => Promise<void>;
}

export function paymentRoute({ rateLimiter, verify, receive }: PaymentRouteOptions): Route {
  return route(receivePaymentEvent, createGuard(rateLimiter), async ({ body }, { header }) => {
    const content = await readBounded(body, eventBytesMax);
    const event = verify(content, header('stripe-signature') ?? '');
    if (!event) {
      throw new Problem('invalid_request', { detail: 'The signature of the event is not valid.' });
    }
    await receive(event);
    return { received: true as const };
  });
}

function createGuard(rateLimiter: RateWindows): Guard<undefined> {
  return async (request, response) => {
    const decision = await countRequest(rateLimiter, response, {
      subject: `payment-events:${networkOf(request.ip)}`,
      limit: eventsPerSecondMax,
      windowMs,
    });
    if (!decision.admitted) {
      throw new Problem('too_many_requests', { headers: refusalHeaders(request, decision) });
    }
    return undefined;
  };
}

/** What owners pay on the provider's pages; without a provider, nothing. */
export function onlinePaymentHandlers(provider: PaymentProvider | undefined) {
  return {
    async openPaymentPortal(_input, { caller }) {
      const url = await provider?.portal(caller.account.accountId);
      if (url === undefined) {
        throw new Problem('online_payment_not_available');
      }
      return { url };
    },

    async buyCredits({ body }, { caller }) {
      if (!provider?.topUps.includes(body.credits)) {
        throw new Problem('online_payment_not_available', {
          detail: 'This number of credits is not for sale.',
        });
      }
      return { url: await provider.buyCredits(caller.account.accountId, body.credits) };
    },
  } satisfies Partial<GatewayHandlers>;
}
