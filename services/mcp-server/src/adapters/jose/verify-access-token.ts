import { hash } from 'node:crypto';
import { assistantId, type OauthScope, oauthScopeNames } from '@mailproof/shared-types';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import {
  type AccessToken,
  assistantClaim,
  type PublishedKeys,
  refreshClaim,
  type TokenVerdict,
  type VerifyAccessToken,
} from '../../domain/access-token.ts';

/** Tolerated clock skew, in seconds. */
const clockToleranceSeconds = 5;
/** Valid tokens whose verification is cached; an assistant sends the same one for ten minutes. */
const verifiedMax = 10_000;

export interface VerifierOptions {
  readonly publishedKeys: PublishedKeys;
  readonly issuer: string;
  readonly audience: string;
  readonly now: () => Date;
}

/**
 * Verifies access tokens as RFC 9068 section 4 requires. We fix the algorithm, not the token. There is exactly one
 * audience, so a token that another server also accepts is refused (RFC 8725 section 3.9).
 */
export function createAccessTokenVerifier(options: VerifierOptions): VerifyAccessToken {
  const keySetOf = createKeySets();
  return async token => {
    const kid = kidOf(token);
    if (kid === undefined) {
      return refused;
    }
    const { set, verified } = keySetOf(await options.publishedKeys(kid));
    const digest = hash('sha256', token, 'buffer').toString('latin1');
    const known = verified.get(digest);
    if (known) {
      return isExpired(known, options.now()) ? { kind: 'expired' } : { kind: 'valid', token: known };
    }
    try {
      const { payload } = await jwtVerify(token, set, {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer: options.issuer,
        audience: options.audience,
        requiredClaims: ['iss', 'aud', 'exp', 'iat', 'sub', 'jti', 'client_id', 'scope', assistantClaim],
        clockTolerance: clockToleranceSeconds,
        currentDate: options.now(),
      });
      const verdict = verdictOf(payload, options.audience);
      if (verdict.kind === 'valid') {
        verified.set(digest, verdict.token);
      }
      return verdict;
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        return { kind: 'expired' };
      }
      if (error instanceof errors.JOSEError) {
        return refused;
      }
      throw error;
    }
  };
}

/** The published keys, and the verified tokens that they signed, by their SHA-256. */
interface KeySet {
  readonly published: JSONWebKeySet;
  readonly set: ReturnType<typeof createLocalJWKSet>;
  readonly verified: LRUCache<string, AccessToken>;
}

/**
 * Caches the imported keys while the published keys stay the same: importing a key costs more than verifying with it.
 * When the keys change, the verified tokens are dropped too, so that a token of a retired key is refused.
 */
function createKeySets(): (published: JSONWebKeySet) => KeySet {
  let known: KeySet | undefined;
  return published => {
    if (known?.published !== published) {
      // The list is reread every few seconds; it is a new object each time, usually with the same keys.
      known =
        known && JSON.stringify(known.published) === JSON.stringify(published)
          ? { ...known, published }
          : {
              published,
              set: createLocalJWKSet(published),
              verified: new LRUCache({ max: verifiedMax }),
            };
    }
    return known;
  };
}

/** Checks `exp` as jose does. */
function isExpired({ expiresAt }: AccessToken, now: Date): boolean {
  return expiresAt.getTime() <= now.getTime() - clockToleranceSeconds * 1_000;
}

const refused = { kind: 'refused' } as const;

function verdictOf(payload: JWTPayload, audience: string): TokenVerdict {
  const assistant = assistantId.safeParse(payload[assistantClaim]);
  const { aud, exp, client_id: clientId, scope, [refreshClaim]: refreshSha256 } = payload;
  if (
    aud !== audience ||
    exp === undefined ||
    !assistant.success ||
    typeof clientId !== 'string' ||
    typeof scope !== 'string'
  ) {
    return refused;
  }
  const token = {
    assistantId: assistant.data,
    clientId,
    scopes: knownScopes(scope),
    expiresAt: new Date(exp * 1_000),
    refreshSha256: typeof refreshSha256 === 'string' ? refreshSha256 : undefined,
  };
  return { kind: 'valid', token };
}

/** Returns undefined for anything that is not a JWT. We never issue a token without a `kid`. */
function kidOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}

function knownScopes(text: string): OauthScope[] {
  const granted = text.split(' ');
  return oauthScopeNames.filter(name => granted.includes(name));
}
