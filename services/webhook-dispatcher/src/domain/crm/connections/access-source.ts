import type { CrmConnectionId, CrmProvider } from '@mailproof/shared-types';
import { type ConnectedCrms, type CrmAccess, type CrmAccessSource, CrmFault, type OpenCrm } from '../crm.ts';
import type {
  ConnectionEvents,
  CrmConnectionStore,
  CrmTokenStore,
  CrmTokens,
  KeptAccess,
} from './crm-connection.ts';
import { type CrmGrant, type CrmOAuth, type CrmOAuths, OAuthFault } from './crm-oauth.ts';

export interface AccessPorts {
  readonly oauths: CrmOAuths;
  readonly tokens: CrmTokenStore;
  readonly events: Pick<ConnectionEvents, 'crmAccessRenewed' | 'crmAccessLost' | 'crmAppRefused'>;
  readonly now: () => Date;
  readonly wait: (ms: number) => Promise<void>;
}

/** The access of all connections, as seen by one process. */
interface AccessSources {
  of(connectionId: CrmConnectionId): CrmAccessSource;
  /** Waits for running renewals, whose tokens would otherwise be lost. */
  close(): Promise<void>;
}

/** Tokens that expire within this time are renewed before use, in milliseconds. */
const freshMsMin = 60_000;
/** The deadline for an authorization server to issue new tokens, in milliseconds; the lease lasts longer. */
const refreshMsMax = 15_000;
const leaseMs = 30_000;
/** How often a process that waits for another's renewal polls, and when it gives up, in milliseconds. */
const pollMs = 100;
const renewMsMax = leaseMs + 2 * refreshMsMax;
/** How often storing new tokens is tried, and the base delay between tries. */
const keepTriesMax = 4;
const keepAgainMs = 500;
const noteUseEveryMs = 60_000;

/**
 * The first process that finds an access token about to expire renews it, under a lease that one process at a time
 * holds; all others wait and use the tokens that it stores. New tokens are stored before use: a refresh token may be
 * valid only once, and losing the next one loses the connection (RFC 9700 section 4.14.2).
 */
export function createAccessSources(ports: AccessPorts): AccessSources {
  /** Running renewals of this process, by connection and version, so that concurrent calls share one renewal. */
  const renewals = new Map<string, Promise<CrmAccess>>();

  function renew(connectionId: CrmConnectionId, version: number): Promise<CrmAccess> {
    const key = `${connectionId}:${version}`;
    const running = renewals.get(key);
    if (running) {
      return running;
    }
    const started = renewTokens(ports, connectionId, version).finally(() => renewals.delete(key));
    renewals.set(key, started);
    return started;
  }

  return {
    of: connectionId => ({
      async current(signal) {
        const kept = await findUsable(ports, connectionId);
        await noteUse(ports, connectionId, kept);
        return isFresh(kept.tokens, ports.now())
          ? accessOf(kept)
          : unlessAborted(renew(connectionId, kept.version), signal);
      },
      async renewed(refused, signal) {
        const kept = await findUsable(ports, connectionId);
        const isOther = kept.tokens.accessToken !== refused.accessToken;
        return isOther && isFresh(kept.tokens, ports.now())
          ? accessOf(kept)
          : unlessAborted(renew(connectionId, kept.version), signal);
      },
    }),
    async close() {
      await Promise.allSettled(renewals.values());
    },
  };
}

type UsableAccess = KeptAccess & { readonly tokens: CrmTokens };

/** Runs without the caller's signal, because the requested tokens must be stored when they arrive. */
async function renewTokens(
  ports: AccessPorts,
  connectionId: CrmConnectionId,
  version: number,
): Promise<CrmAccess> {
  for (let waitedMs = 0; waitedMs < renewMsMax; waitedMs += pollMs) {
    const kept = await findUsable(ports, connectionId);
    if (kept.version !== version) {
      return accessOf(kept);
    }
    if (await ports.tokens.lease(connectionId, version, leaseMs)) {
      return refresh(ports, connectionId, kept);
    }
    await ports.wait(pollMs);
  }
  throw new CrmFault('away');
}

async function refresh(
  ports: AccessPorts,
  connectionId: CrmConnectionId,
  kept: UsableAccess,
): Promise<CrmAccess> {
  const { provider, version, apiBaseUrl } = kept;
  const oauth = ports.oauths[provider];
  if (!oauth) {
    await ports.tokens.release(connectionId, version);
    // The operator has removed the app from the settings, and may restore it.
    throw new CrmFault('away');
  }
  let grant: CrmGrant;
  try {
    grant = await oauth.refresh(kept.tokens, apiBaseUrl, AbortSignal.timeout(refreshMsMax));
  } catch (error) {
    throw await crmFaultOf(ports, connectionId, kept, error);
  }
  const outcome = await keepTokens(ports, connectionId, version, grant);
  if (outcome === 'gone') {
    await revokeTokens(oauth, grant.tokens);
    throw new CrmFault('revoked');
  }
  ports.events.crmAccessRenewed(connectionId, provider);
  return outcome === 'replaced'
    ? { accessToken: grant.tokens.accessToken, apiBaseUrl: grant.apiBaseUrl }
    : accessOf(await findUsable(ports, connectionId));
}

/** Retries, because the store can be unavailable for a moment and these tokens cannot be requested again. */
async function keepTokens(
  { tokens, wait }: AccessPorts,
  connectionId: CrmConnectionId,
  version: number,
  grant: CrmGrant,
): ReturnType<CrmTokenStore['replace']> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tokens.replace(connectionId, version, grant.tokens, grant.apiBaseUrl);
    } catch (error) {
      if (tries === keepTriesMax) {
        throw error;
      }
      await wait(keepAgainMs * tries);
    }
  }
}

/** Revokes tokens of a connection that was removed while they were in flight. */
async function revokeTokens(oauth: CrmOAuth, tokens: CrmTokens): Promise<void> {
  if (!oauth.sharesGrants) {
    await oauth.revoke(tokens, AbortSignal.timeout(refreshMsMax)).catch(() => undefined);
  }
}

async function crmFaultOf(
  { tokens, events }: AccessPorts,
  connectionId: CrmConnectionId,
  { provider, version }: KeptAccess,
  error: unknown,
): Promise<unknown> {
  if (error instanceof OAuthFault && error.kind === 'grant_refused') {
    await tokens.noteFault(connectionId, version, 'access_revoked');
    events.crmAccessLost(connectionId, provider, 'access_revoked');
    return new CrmFault('revoked');
  }
  await tokens.release(connectionId, version);
  if (!(error instanceof OAuthFault)) {
    return error;
  }
  if (error.kind === 'app_refused') {
    // Not a fault of the connection: it works again as soon as the operator has corrected the settings.
    events.crmAppRefused(provider, error.error);
  }
  return new CrmFault(error.kind === 'throttled' ? 'throttled' : 'away', error.waitMs);
}

/** Returns the stored access if it is usable. Throws `revoked` for a connection that is gone or has a fault. */
async function findUsable(
  { tokens, events }: AccessPorts,
  connectionId: CrmConnectionId,
): Promise<UsableAccess> {
  const kept = await tokens.find(connectionId);
  if (!kept || kept.fault !== null) {
    throw new CrmFault('revoked');
  }
  if (kept.tokens === undefined) {
    await tokens.noteFault(connectionId, kept.version, 'not_readable');
    events.crmAccessLost(connectionId, kept.provider, 'not_readable');
    throw new CrmFault('revoked');
  }
  return { ...kept, tokens: kept.tokens };
}

async function noteUse(
  { tokens, now }: AccessPorts,
  connectionId: CrmConnectionId,
  { lastUsedAt }: KeptAccess,
): Promise<void> {
  const at = now();
  if (lastUsedAt === null || at.getTime() - lastUsedAt.getTime() >= noteUseEveryMs) {
    await tokens.noteUse(connectionId, at);
  }
}

function isFresh({ accessEndsAt }: CrmTokens, now: Date): boolean {
  return accessEndsAt === null || accessEndsAt.getTime() - now.getTime() > freshMsMin;
}

function accessOf({ tokens, apiBaseUrl }: UsableAccess): CrmAccess {
  return { accessToken: tokens.accessToken, apiBaseUrl };
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Opens the CRMs that accounts have connected, each by the adapter of its provider. */
export function createConnectedCrms(
  connections: Pick<CrmConnectionStore, 'find'>,
  sources: AccessSources,
  adapters: Readonly<Partial<Record<CrmProvider, OpenCrm>>>,
): ConnectedCrms {
  return {
    async open(accountId, connectionId) {
      const connection = await connections.find(accountId, connectionId);
      return (
        connection && adapters[connection.provider]?.(sources.of(connectionId), connection.organizationId)
      );
    },
  };
}
