import { createHash, randomBytes } from 'node:crypto';
import {
  type AccountId,
  type CrmConnectionId,
  type CrmProvider,
  newId,
  type UserId,
} from '@mailproof/shared-types';
import type {
  ConnectionEvents,
  CrmConnection,
  CrmConnectionStore,
  CrmSignInStore,
  CrmTokens,
  RemovedConnection,
} from './crm-connection.ts';
import { type CrmOAuth, type CrmOAuths, OAuthFault } from './crm-oauth.ts';

export interface ConnectPorts {
  readonly oauths: CrmOAuths;
  readonly signIns: CrmSignInStore;
  readonly connections: CrmConnectionStore;
  readonly events: ConnectionEvents;
  readonly now: () => Date;
  /** How many CRMs an account may have connected. */
  readonly connectionsMax: number;
}

/** Who connects a CRM. */
export interface Connecting {
  readonly accountId: AccountId;
  readonly userId: UserId;
}

export type ConnectionStarted =
  | { readonly kind: 'started'; readonly authorizationUrl: string; readonly expiresAt: Date }
  | { readonly kind: 'not_configured' };

/** What the browser brings back from the CRM: a code, or an error. */
export type CrmAnswer =
  | { readonly state: string; readonly code: string }
  | { readonly state: string; readonly error: string };

export type ConnectionCompleted =
  | { readonly kind: 'connected'; readonly connection: CrmConnection }
  /** Not started by this user, already used, or expired. */
  | { readonly kind: 'not_valid' }
  | { readonly kind: 'denied'; readonly error: string }
  | { readonly kind: 'not_configured' }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'away'; readonly waitMs: number | null };

/** How long a user has to sign in to the CRM and allow the app, in milliseconds. */
const signInMsMax = 600_000;
/** The most pending sign-ins of an account; another one replaces the oldest. */
const signInsPerAccountMax = 20;
const stateOctets = 32;
/**
 * The deadlines for exchanging a code for tokens and identifying the organization, and for revoking tokens, in
 * milliseconds.
 */
const exchangeMsMax = 30_000;
const revokeMsMax = 4_000;

/** Sends a browser to the CRM. Only the same user can use its answer, once, within ten minutes. */
export async function beginConnection(
  { oauths, signIns, now }: ConnectPorts,
  { accountId, userId }: Connecting,
  provider: CrmProvider,
): Promise<ConnectionStarted> {
  const oauth = oauths[provider];
  if (!oauth) {
    return { kind: 'not_configured' };
  }
  const state = randomBytes(stateOctets).toString('base64url');
  const { authorizationUrl, verifier } = await oauth.begin(state);
  const expiresAt = new Date(now().getTime() + signInMsMax);
  const signIn = { stateHash: hashOf(state), accountId, userId, provider, verifier, expiresAt };
  await signIns.add(signIn, signInsPerAccountMax);
  return { kind: 'started', authorizationUrl, expiresAt };
}

/**
 * Completes the connection from the browser's answer. A code is valid once, so after its use this continues even if the
 * client disconnects, and the tokens are either stored or revoked.
 */
export async function completeConnection(
  ports: ConnectPorts,
  connecting: Connecting,
  answer: CrmAnswer,
  signal: AbortSignal,
): Promise<ConnectionCompleted> {
  const { oauths, signIns, now } = ports;
  const started = await signIns.take({ stateHash: hashOf(answer.state), ...connecting }, now());
  if (!started) {
    return { kind: 'not_valid' };
  }
  if ('error' in answer) {
    return { kind: 'denied', error: answer.error };
  }
  const oauth = oauths[started.provider];
  if (!oauth) {
    return { kind: 'not_configured' };
  }
  signal.throwIfAborted();
  try {
    const inTime = AbortSignal.timeout(exchangeMsMax);
    const exchanged = await oauth.exchange(answer.code, started.verifier, inTime);
    return await keepOrRevoke(ports, connecting, started.provider, oauth, exchanged);
  } catch (error) {
    if (error instanceof OAuthFault) {
      return faultOf(ports, started.provider, error);
    }
    throw error;
  }
}

type Exchanged = Awaited<ReturnType<CrmOAuth['exchange']>>;

async function keepOrRevoke(
  ports: ConnectPorts,
  connecting: Connecting,
  provider: CrmProvider,
  oauth: CrmOAuth,
  exchanged: Exchanged,
): Promise<ConnectionCompleted> {
  let connection: CrmConnection | undefined;
  try {
    connection = await keep(ports, connecting, provider, exchanged);
  } catch (error) {
    await revokeTokens(oauth, exchanged.grant.tokens);
    throw error;
  }
  if (!connection) {
    await revokeTokens(oauth, exchanged.grant.tokens);
    return { kind: 'too_many' };
  }
  ports.events.crmConnected(connection);
  return { kind: 'connected', connection };
}

function keep(
  { connections, now, connectionsMax }: ConnectPorts,
  { accountId, userId }: Connecting,
  provider: CrmProvider,
  { grant: { tokens, apiBaseUrl }, organisation }: Exchanged,
): Promise<CrmConnection | undefined> {
  return connections.keep(
    {
      connectionId: newId('crmConnection', now().getTime()),
      accountId,
      provider,
      organizationId: organisation.id,
      organizationName: organisation.name,
      apiBaseUrl,
      connectedBy: userId,
      connectedAt: now(),
    },
    tokens,
    connectionsMax,
  );
}

/**
 * Revokes access that is not stored; if that fails, the tokens are lost anyway. A shared grant stays: revoking it would
 * end the connections of other accounts to the same organization.
 */
async function revokeTokens(oauth: CrmOAuth, tokens: CrmTokens): Promise<void> {
  if (!oauth.sharesGrants) {
    await oauth.revoke(tokens, AbortSignal.timeout(revokeMsMax)).catch(() => undefined);
  }
}

function faultOf({ events }: ConnectPorts, provider: CrmProvider, fault: OAuthFault): ConnectionCompleted {
  switch (fault.kind) {
    case 'grant_refused':
      return { kind: 'denied', error: fault.error };
    case 'app_refused':
      events.crmAppRefused(provider, fault.error);
      return { kind: 'not_configured' };
    default:
      return { kind: 'away', waitMs: fault.waitMs };
  }
}

/** Only the hash of a state is stored, so a reader of the table cannot forge the answer. */
function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

interface DisconnectPorts {
  readonly oauths: CrmOAuths;
  readonly connections: Pick<CrmConnectionStore, 'remove' | 'removeOfAccount'>;
  readonly events: Pick<ConnectionEvents, 'crmDisconnected'>;
}

/**
 * Ends a connection: deletes the stored tokens first, then revokes them at the CRM. If that fails, the tokens are lost
 * anyway, so there is no retry. Undefined if the account does not have this connection.
 */
export async function disconnect(
  ports: DisconnectPorts,
  accountId: AccountId,
  connectionId: CrmConnectionId,
): Promise<{ readonly isRevoked: boolean } | undefined> {
  const removed = await ports.connections.remove(accountId, connectionId);
  return removed && { isRevoked: await revoke(ports, removed) };
}

/** Ends some of the connections of a deleted account; returns how many. */
export async function forgetConnections(
  ports: DisconnectPorts & { readonly signIns: Pick<CrmSignInStore, 'deleteOfAccount'> },
  accountId: AccountId,
): Promise<number> {
  await ports.signIns.deleteOfAccount(accountId);
  const removed = await ports.connections.removeOfAccount(accountId);
  await Promise.all(removed.map(each => revoke(ports, each)));
  return removed.length;
}

/** Revokes our access at the CRM if possible; returns whether it was revoked. */
async function revoke(
  { oauths, events }: DisconnectPorts,
  { connection, tokens, isSharedWithOthers }: RemovedConnection,
): Promise<boolean> {
  const oauth = oauths[connection.provider];
  const mayRevoke = oauth !== undefined && !(oauth.sharesGrants && isSharedWithOthers);
  const isRevoked =
    mayRevoke && tokens !== undefined
      ? await oauth.revoke(tokens, AbortSignal.timeout(revokeMsMax)).then(
          () => true,
          () => false,
        )
      : false;
  events.crmDisconnected(connection, isRevoked);
  return isRevoked;
}
