import type { Operation, ServiceName } from '@mailproof/shared-types';
import type { Request } from 'express';
import { createLocalJWKSet, errors, importJWK, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import type { PrivateServiceKey, PublicServiceKeys } from './config.ts';
import type { CountFailure } from './http/request-window.ts';
import type { Guard } from './http/route.ts';
import { Problem } from './problem.ts';

/** Seconds that a token is valid; it is used again for half of them, so that calls do not pay for signatures. */
const lifetimeSeconds = 60;
const clockToleranceSeconds = 5;
/** Tokens whose signature was seen to be right; peers present the same one many times. */
const verifiedMax = 64;

/** Makes the tokens by which a service proves to a peer who it is. */
export type TokenSigner = (audience: ServiceName) => Promise<string>;

export async function createTokenSigner(key: PrivateServiceKey): Promise<TokenSigner> {
  const signingKey = await importJWK(key, 'EdDSA');
  const current = new Map<ServiceName, { token: string; renewAtMs: number }>();
  return async audience => {
    const known = current.get(audience);
    if (known && known.renewAtMs > Date.now()) {
      return known.token;
    }
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: 'service+jwt' })
      .setIssuer(key.kid)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds}s`)
      .sign(signingKey);
    current.set(audience, { token, renewAtMs: Date.now() + (lifetimeSeconds * 1_000) / 2 });
    return token;
  };
}

/**
 * Makes the guard of an internal operation: a valid token of one of the callers that its contract names. `countFailure`
 * counts failed tokens against the address that they come from.
 */
export function createServiceGuard(self: ServiceName, peers: PublicServiceKeys, countFailure?: CountFailure) {
  const keys = createLocalJWKSet(peers as JSONWebKeySet);
  const verified = new Map<string, { issuer: ServiceName; expiresAtMs: number }>();

  async function verify(token: string): Promise<ServiceName> {
    const known = verified.get(token);
    if (known && known.expiresAtMs > Date.now()) {
      return known.issuer;
    }
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: ['EdDSA'],
      audience: self,
      typ: 'service+jwt',
      clockTolerance: clockToleranceSeconds,
      maxTokenAge: lifetimeSeconds,
      requiredClaims: ['iss', 'exp'],
    });
    // Each service signs with its own key and may speak for nobody else.
    if (payload.iss !== protectedHeader.kid) {
      throw new errors.JWTClaimValidationFailed('issuer and key do not belong together', payload, 'iss');
    }
    const issuer = payload.iss as ServiceName;
    if (verified.size >= verifiedMax) {
      verified.clear();
    }
    verified.set(token, { issuer, expiresAtMs: (payload.exp ?? 0) * 1_000 });
    return issuer;
  }

  return (operation: Operation): Guard<ServiceName> => {
    const callers = operation.access.kind === 'service' ? operation.access.callers : [];
    return async (request, response) => {
      const caller = await verify(bearerToken(request)).catch(async cause => {
        await countFailure?.(request, response);
        throw new Problem('invalid_service_token', { cause });
      });
      if (!callers.includes(caller)) {
        throw new Problem('caller_not_allowed', {
          detail: `${caller} is not among the callers of ${operation.id}.`,
        });
      }
      return caller;
    };
  };
}

function bearerToken(request: Request): string {
  return /^Bearer ([\w.-]+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
}
