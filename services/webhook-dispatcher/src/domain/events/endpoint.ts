import type {
  AccountId,
  CreatorId,
  EndpointDisabledReason,
  SubscribedEventType,
  WebhookEndpointId,
} from '@mailproof/shared-types';
import { DestinationFault } from '../push/begin-push.ts';
import { type ClassifyHost, destinationIssues } from '../push/destination.ts';

/** Where events go, and the secrets that sign them. Stored sealed. */
export interface EventDestination {
  readonly url: string;
  /** `whsec_` and base64 (Standard Webhooks). */
  readonly signingSecret: string;
  /** The secret before the last rotation. */
  readonly previousSecret: string | null;
}

/** A URL that an account's events are sent to. */
export interface Endpoint {
  readonly endpointNo: string;
  readonly endpointId: WebhookEndpointId;
  readonly accountId: AccountId;
  readonly createdBy: CreatorId;
  readonly description: string | null;
  readonly eventTypes: readonly SubscribedEventType[];
  /** Undefined if it can no longer be opened. */
  readonly destination: EventDestination | undefined;
  /** Until then the previous secret signs too. */
  readonly previousSecretUntil: Date | null;
  readonly failingSince: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledReason: EndpointDisabledReason | null;
  readonly createdAt: Date;
}

export type NewEndpoint = Pick<
  Endpoint,
  'endpointId' | 'accountId' | 'createdBy' | 'description' | 'eventTypes' | 'createdAt'
> & { readonly destination: EventDestination };

/** The members that a change sets. */
export type EndpointChange = Partial<
  Pick<
    Endpoint,
    'description' | 'eventTypes' | 'previousSecretUntil' | 'failingSince' | 'disabledAt' | 'disabledReason'
  > & { readonly destination: EventDestination }
>;

export interface EndpointStore {
  /** Undefined if the account has `endpointsMax` already. */
  create(endpoint: NewEndpoint, endpointsMax: number): Promise<Endpoint | undefined>;
  list(accountId: AccountId): Promise<Endpoint[]>;
  findOf(accountId: AccountId, endpointId: WebhookEndpointId): Promise<Endpoint | undefined>;
  /** Changes an endpoint that no other request changes meanwhile. Undefined if the account has no such endpoint. */
  change(
    accountId: AccountId,
    endpointId: WebhookEndpointId,
    changeOf: (endpoint: Endpoint) => EndpointChange,
  ): Promise<Endpoint | undefined>;
  /** Deletes an endpoint with its deliveries. False if the account has no such endpoint. */
  delete(accountId: AccountId, endpointId: WebhookEndpointId): Promise<boolean>;
  /** Deletes some of the endpoints and deliveries of a deleted account; returns how many. */
  deleteOfAccount(accountId: AccountId): Promise<number>;
}

/** What an account does to an endpoint. */
export type EndpointAct =
  | { readonly act: 'created' | 'deleted' | 'secret_rotated' }
  /** The members that the request contains. */
  | { readonly act: 'changed'; readonly members: readonly string[] };

export interface EndpointEvents {
  endpointManaged(
    endpoint: Pick<Endpoint, 'endpointId' | 'accountId'>,
    callerId: CreatorId,
    act: EndpointAct,
  ): void;
}

export interface EndpointPorts {
  readonly endpoints: EndpointStore;
  readonly classifyHost: ClassifyHost;
  readonly newSigningSecret: () => string;
  readonly now: () => Date;
}

/** Throws `DestinationFault` if events must not go to a URL. */
export function assertUsable(url: string, classifyHost: ClassifyHost): void {
  const issues = destinationIssues({ url, header: null }, classifyHost);
  if (issues.length > 0) {
    throw new DestinationFault(issues);
  }
}

/** The members that a request may change. */
export interface WantedChange {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly eventTypes?: readonly SubscribedEventType[] | undefined;
  readonly enabled?: boolean | undefined;
}

/**
 * Changes the members that a request contains.
 *
 * @throws DestinationFault
 */
export async function changeEndpoint(
  { endpoints, classifyHost, newSigningSecret, now }: EndpointPorts,
  accountId: AccountId,
  endpointId: WebhookEndpointId,
  { url, description, eventTypes, enabled }: WantedChange,
): Promise<Endpoint | undefined> {
  if (url !== undefined) {
    assertUsable(url, classifyHost);
  }
  return endpoints.change(accountId, endpointId, endpoint => ({
    ...(description !== undefined && { description }),
    ...(eventTypes && { eventTypes }),
    ...(url !== undefined && {
      // Without the old destination there is no secret to keep; the client rotates it to see the new one.
      destination: {
        ...(endpoint.destination ?? { signingSecret: newSigningSecret(), previousSecret: null }),
        url,
      },
      // What the previous URL did says nothing about this one.
      failingSince: null,
    }),
    ...(enabled === true && { disabledAt: null, disabledReason: null, failingSince: null }),
    ...(enabled === false &&
      endpoint.disabledAt === null && { disabledAt: now(), disabledReason: 'asked' as const }),
  }));
}

/** Replaces the secret of an endpoint; the previous one stays valid for a time, in milliseconds. */
export async function rotateSecret(
  { endpoints, newSigningSecret, now }: EndpointPorts,
  accountId: AccountId,
  endpointId: WebhookEndpointId,
  overlapMs: number,
): Promise<Endpoint | undefined> {
  return endpoints.change(accountId, endpointId, ({ destination }) =>
    destination
      ? {
          destination: {
            url: destination.url,
            signingSecret: newSigningSecret(),
            previousSecret: destination.signingSecret,
          },
          previousSecretUntil: new Date(now().getTime() + overlapMs),
        }
      : {},
  );
}

/** The secrets that sign an event now, the current one first. */
export function secretsOf(
  { destination, previousSecretUntil }: Pick<Endpoint, 'destination' | 'previousSecretUntil'>,
  now: Date,
): string[] {
  if (!destination) {
    return [];
  }
  const { signingSecret, previousSecret } = destination;
  const isOverlapping = previousSecretUntil !== null && previousSecretUntil > now;
  return [signingSecret, ...(previousSecret !== null && isOverlapping ? [previousSecret] : [])];
}
