import type { Operation, ServiceName } from '@mailproof/shared-types';
import type { Request } from 'express';
import type { JSONWebKeySet } from 'jose';
import { JWTClaimValidationFailed } from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { importJWK } from 'jose/key/import';
import type { PrivateServiceKey, PublicServiceKeys } from './config.ts';
import type { CountFailure } from './http/request-window.ts';
import type { Guard } from './http/route.ts';
import { Problem } from './problem.ts';

/** Lifetime of a token, in seconds; it is reused for half of that time, so that not every call needs a signature. */
const lifetimeSeconds = 60;
const clockToleranceSeconds = 5;
/** How many verified tokens to remember; peers present the same token many times. */
const verifiedMax = 64;

/** Signs tokens that prove a service's identity to a peer. */
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
 * Creates guards for internal operations, which require a valid token from one of the callers that the contract names.
 * `countFailure` counts failed tokens against the client address.
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
    // Each service signs with its own key and may act only for itself.
    if (payload.iss !== protectedHeader.kid) {
      throw new JWTClaimValidationFailed('issuer and key do not belong together', payload, 'iss');
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
