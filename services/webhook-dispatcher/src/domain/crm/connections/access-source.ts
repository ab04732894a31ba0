import type { CrmConnectionId } from '@mailproof/shared-types';
import type { CrmAccess, CrmAccessSource } from '../crm-access.ts';
import { CrmFault } from '../crm-fault.ts';
import type { ConnectionEvents, CrmTokenStore, CrmTokens, KeptAccess } from './crm-connection.ts';
import { type CrmGrant, type CrmOAuth, type CrmOAuths, OAuthFault } from './crm-oauth.ts';

export interface AccessPorts {
  readonly oauths: CrmOAuths;
  readonly tokens: CrmTokenStore;
  readonly events: Pick<ConnectionEvents, 'crmAccessRenewed' | 'crmAccessLost' | 'crmAppRefused'>;
  readonly now: () => Date;
  readonly wait: (ms: number) => Promise<void>;
}

/** Access of all connections, as one process sees it. */
export interface AccessSources {
  of(connectionId: CrmConnectionId): CrmAccessSource;
  /** Waits for what is being renewed: its tokens would be lost. */
  close(): Promise<void>;
}

/** Tokens that end within this time are renewed ahead of their use, in milliseconds. */
const freshMsMin = 60_000;
/** Time for an authorization server to give new tokens; who renews them has the right to it for longer. In milliseconds. */
const refreshMsMax = 15_000;
const leaseMs = 30_000;
/** Interval at which those look who wait for another one's renewal, and the time after which they give up, in milliseconds. */
const lookEveryMs = 100;
const renewMsMax = leaseMs + 2 * refreshMsMax;
/** How often new tokens are tried to be kept, and the time between. */
const keepTriesMax = 4;
const keepAgainMs = 500;
const noteUseEveryMs = 60_000;

/**
 * Access tokens are renewed by whoever first finds them at their end, under a right that one process at a time has; all
 * others wait and take what it has kept. New tokens are kept before anybody uses them: a refresh token can be good once, and
 * whoever loses the next one has lost the connection (RFC 9700 section 4.14.2).
 */
export function createAccessSources(ports: AccessPorts): AccessSources {
  /** Renewals of this process, by connection and version, so that its calls wait once and not each for itself. */
  const renewals = new Map<string, Promise<CrmAccess>>();

  function renew(connectionId: CrmConnectionId, version: number): Promise<CrmAccess> {
    const key = `${connectionId}:${version}`;
    const running = renewals.get(key);
    if (running) {
      return running;
    }
    const begun = renewTokens(ports, connectionId, version).finally(() => renewals.delete(key));
    renewals.set(key, begun);
    return begun;
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

/** Goes on without the caller's signal: what has been asked for has to be kept when it comes. */
async function renewTokens(
  ports: AccessPorts,
  connectionId: CrmConnectionId,
  version: number,
): Promise<CrmAccess> {
  for (let waitedMs = 0; waitedMs < renewMsMax; waitedMs += lookEveryMs) {
    const kept = await findUsable(ports, connectionId);
    if (kept.version !== version) {
      return accessOf(kept);
    }
    if (await ports.tokens.lease(connectionId, version, leaseMs)) {
      return refresh(ports, connectionId, kept);
    }
    await ports.wait(lookEveryMs);
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
    // The operator has taken the app out of the settings, and may put it back.
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
    await giveBack(oauth, grant.tokens);
    throw new CrmFault('revoked');
  }
  ports.events.crmAccessRenewed(connectionId, provider);
  return outcome === 'replaced'
    ? { accessToken: grant.tokens.accessToken, apiBaseUrl: grant.apiBaseUrl }
    : accessOf(await findUsable(ports, connectionId));
}

/** The store can be away for a moment, and these tokens cannot be had again. */
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

/** The connection was taken away while its tokens were on their way: nobody is to have them. */
async function giveBack(oauth: CrmOAuth, tokens: CrmTokens): Promise<void> {
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
    // No fault of the connection: it works again as soon as the operator has put the settings right.
    events.crmAppRefused(provider, error.error);
  }
  return new CrmFault(error.kind === 'throttled' ? 'throttled' : 'away', error.waitMs);
}

/** What is kept, where it can be used. Throws `revoked` for a connection that is gone or has a fault. */
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
