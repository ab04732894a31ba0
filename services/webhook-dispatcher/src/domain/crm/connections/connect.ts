import { createHash, randomBytes } from 'node:crypto';
import { type AccountId, type CrmProvider, newId, type UserId } from '@mailproof/shared-types';
import type {
  ConnectionEvents,
  CrmConnection,
  CrmConnectionStore,
  CrmSignInStore,
  CrmTokens,
} from './crm-connection.ts';
import { type CrmOAuth, type CrmOAuths, OAuthFault } from './crm-oauth.ts';

export interface ConnectPorts {
  readonly oauths: CrmOAuths;
  readonly signIns: CrmSignInStore;
  readonly connections: CrmConnectionStore;
  readonly events: ConnectionEvents;
  readonly now: () => Date;
  /** CRMs that an account may have connected. */
  readonly connectionsMax: number;
}

/** Who connects a CRM. */
export interface Connecting {
  readonly accountId: AccountId;
  readonly userId: UserId;
}

export type ConnectionBegun =
  | { readonly kind: 'begun'; readonly authorizationUrl: string; readonly expiresAt: Date }
  | { readonly kind: 'not_configured' };

/** What the CRM gave the browser to bring: a code, or why there is none. */
export type CrmAnswer =
  | { readonly state: string; readonly code: string }
  | { readonly state: string; readonly error: string };

export type ConnectionCompleted =
  | { readonly kind: 'connected'; readonly connection: CrmConnection }
  /** Not begun by this user, used already, or too long ago. */
  | { readonly kind: 'not_valid' }
  | { readonly kind: 'denied'; readonly error: string }
  | { readonly kind: 'not_configured' }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'away'; readonly waitMs: number | null };

/** Time for people to sign in to the CRM and allow the app, in milliseconds. */
export const signInMsMax = 600_000;
/** Connections of an account that wait for their answer; what comes then puts the oldest away. */
const signInsPerAccountMax = 20;
const stateOctets = 32;
/** Time for a CRM to trade a code for tokens and to say whose they are, and to take them back; in milliseconds. */
const exchangeMsMax = 30_000;
const revokeMsMax = 4_000;

/** Sends a browser to the CRM. What it comes back with is of use to the same user alone, once, for ten minutes. */
export async function beginConnection(
  { oauths, signIns, now }: ConnectPorts,
  { accountId, userId }: Connecting,
  provider: CrmProvider,
): Promise<ConnectionBegun> {
  const oauth = oauths[provider];
  if (!oauth) {
    return { kind: 'not_configured' };
  }
  const state = randomBytes(stateOctets).toString('base64url');
  const { authorizationUrl, verifier } = await oauth.begin(state);
  const expiresAt = new Date(now().getTime() + signInMsMax);
  const signIn = { stateHash: hashOf(state), accountId, userId, provider, verifier, expiresAt };
  await signIns.add(signIn, signInsPerAccountMax);
  return { kind: 'begun', authorizationUrl, expiresAt };
}

/**
 * Makes the connection of what the browser came back with. A code is good once: from its use on this goes on without the
 * client, so that the tokens are either kept or given back.
 */
export async function completeConnection(
  ports: ConnectPorts,
  connecting: Connecting,
  answer: CrmAnswer,
  signal: AbortSignal,
): Promise<ConnectionCompleted> {
  const { oauths, signIns, now } = ports;
  const begun = await signIns.take({ stateHash: hashOf(answer.state), ...connecting }, now());
  if (!begun) {
    return { kind: 'not_valid' };
  }
  if ('error' in answer) {
    return { kind: 'denied', error: answer.error };
  }
  const oauth = oauths[begun.provider];
  if (!oauth) {
    return { kind: 'not_configured' };
  }
  signal.throwIfAborted();
  try {
    const inTime = AbortSignal.timeout(exchangeMsMax);
    const exchanged = await oauth.exchange(answer.code, begun.verifier, inTime);
    return await keepOrGiveBack(ports, connecting, begun.provider, oauth, exchanged);
  } catch (error) {
    if (error instanceof OAuthFault) {
      return faultOf(ports, begun.provider, error);
    }
    throw error;
  }
}

type Exchanged = Awaited<ReturnType<CrmOAuth['exchange']>>;

async function keepOrGiveBack(
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
    await giveBack(oauth, exchanged.grant.tokens);
    throw error;
  }
  if (!connection) {
    await giveBack(oauth, exchanged.grant.tokens);
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
      organisationId: organisation.id,
      organisationName: organisation.name,
      apiBaseUrl,
      connectedBy: userId,
      connectedAt: now(),
    },
    tokens,
    connectionsMax,
  );
}

/**
 * Access that we do not keep is given back; where that fails nobody has it any more. A grant that others share stays:
 * revoking it would end the connections of other accounts to the same organisation.
 */
async function giveBack(oauth: CrmOAuth, tokens: CrmTokens): Promise<void> {
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

/** What is kept of a state: who reads the table cannot answer in its name. */
function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}
