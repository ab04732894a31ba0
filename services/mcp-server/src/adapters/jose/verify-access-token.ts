import { assistantId, type OauthScope, oauthScopeNames } from '@mailproof/shared-types';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import {
  assistantClaim,
  type PublishedKeys,
  type TokenVerdict,
  type VerifyAccessToken,
} from '../../domain/access-token.ts';

/** Allowance for clocks that differ, in seconds. */
const clockToleranceSeconds = 5;

export interface VerifierOptions {
  readonly publishedKeys: PublishedKeys;
  readonly issuer: string;
  readonly audience: string;
  readonly now: () => Date;
}

/**
 * Judges access tokens after RFC 9068 section 4. The algorithm is ours, not the token's to choose; there is one audience,
 * so that a token which somebody else accepts too is refused (RFC 8725 section 3.9).
 */
export function createAccessTokenVerifier(options: VerifierOptions): VerifyAccessToken {
  const keySetOf = createKeySets();
  return async token => {
    const kid = kidOf(token);
    if (kid === undefined) {
      return refused;
    }
    const keys = keySetOf(await options.publishedKeys(kid));
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer: options.issuer,
        audience: options.audience,
        requiredClaims: ['iss', 'aud', 'exp', 'iat', 'sub', 'jti', 'client_id', 'scope', assistantClaim],
        clockTolerance: clockToleranceSeconds,
        currentDate: options.now(),
      });
      return verdictOf(payload, options.audience);
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

/** Keeps what was made of the keys as long as they are the same: importing a key costs more than checking by it. */
function createKeySets() {
  let known: { readonly keys: JSONWebKeySet; readonly set: ReturnType<typeof createLocalJWKSet> } | undefined;
  return (keys: JSONWebKeySet) => {
    if (known?.keys !== keys) {
      known = { keys, set: createLocalJWKSet(keys) };
    }
    return known.set;
  };
}

const refused = { kind: 'refused' } as const;

function verdictOf(payload: JWTPayload, audience: string): TokenVerdict {
  const assistant = assistantId.safeParse(payload[assistantClaim]);
  const { aud, exp, client_id: clientId, scope } = payload;
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
  };
  return { kind: 'valid', token };
}

/** A token without one is none of ours, and neither is what is no JWT at all. */
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
