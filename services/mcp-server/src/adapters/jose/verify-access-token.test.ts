import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import { createAccessTokenVerifier } from './verify-access-token.ts';

const issuer = 'https://tools.mailproof.test';
const audience = `${issuer}/mcp`;
const startMs = 1_790_000_000_000;

afterEach(() => {
  jest.restoreAllMocks();
});

async function openVerifier() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const world = { nowMs: startMs, keys: { keys: [jwk] } as JSONWebKeySet };
  const verify = createAccessTokenVerifier({
    publishedKeys: async () => world.keys,
    issuer,
    audience,
    now: () => new Date(world.nowMs),
  });
  const sign = (seconds: number) =>
    new SignJWT({ client_id: 'test', scope: 'account.read', assistant_id: newId('assistant') })
      .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(newId('user'))
      .setJti(crypto.randomUUID())
      .setIssuedAt(startMs / 1_000)
      .setExpirationTime(startMs / 1_000 + seconds)
      .sign(privateKey);
  return { world, verify, sign };
}

describe('a valid access token', () => {
  it('is verified once, however often it is sent and the same keys are read again', async () => {
    const { world, verify, sign } = await openVerifier();
    const token = await sign(600);
    const checks = jest.spyOn(crypto.subtle, 'verify');
    const first = await verify(token);
    expect(first).toMatchObject({ kind: 'valid', token: { clientId: 'test' } });
    for (let times = 0; times < 3; times += 1) {
      world.keys = structuredClone(world.keys);
      expect(await verify(token)).toEqual(first);
    }
    expect(checks).toHaveBeenCalledTimes(1);
    await verify(await sign(600));
    expect(checks).toHaveBeenCalledTimes(2);
  });

  it('is refused once its key is retired, although it was valid before', async () => {
    const { world, verify, sign } = await openVerifier();
    const token = await sign(600);
    expect((await verify(token)).kind).toBe('valid');
    world.keys = { keys: [] };
    expect(await verify(token)).toEqual({ kind: 'refused' });
  });

  it('expires at the same time as one that was never verified before', async () => {
    const { world, verify, sign } = await openVerifier();
    const [known, fresh] = [await sign(60), await sign(60)];
    expect((await verify(known)).kind).toBe('valid');
    // Clocks may differ by 5 seconds.
    world.nowMs = startMs + 64_999;
    expect((await verify(known)).kind).toBe('valid');
    world.nowMs = startMs + 65_000;
    expect(await verify(known)).toEqual({ kind: 'expired' });
    expect(await verify(fresh)).toEqual({ kind: 'expired' });
  });

  it('does not make another token with the same beginning valid', async () => {
    const { verify, sign } = await openVerifier();
    const token = await sign(600);
    expect((await verify(token)).kind).toBe('valid');
    expect(await verify(`${token}A`)).toEqual({ kind: 'refused' });
    expect(await verify(`${token.slice(0, token.lastIndexOf('.'))}.AAAA`)).toEqual({ kind: 'refused' });
  });
});
