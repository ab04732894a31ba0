import { describe, expect, it } from '@jest/globals';
import type { RingKey } from '@mailproof/service-kit';
import { newId } from '@mailproof/shared-types';
import { CompactEncrypt, decodeProtectedHeader } from 'jose';
import { createKeySealer } from '../src/adapters/jose/key-sealer.ts';
import { generateApiKey } from '../src/domain/keys/api-key.ts';

const accountId = newId('account');
const old: RingKey = { kid: 'old', key: new Uint8Array(32).fill(1) };
const current: RingKey = { kid: 'current', key: new Uint8Array(32).fill(2) };
const apiKey = generateApiKey();

describe('a sealed API key', () => {
  it('is a compact JWE under the first key of the ring, with account and type in its authenticated header', async () => {
    const { sealedKey, kid } = await createKeySealer([current, old]).seal(apiKey, accountId);
    expect(kid).toBe('current');
    expect(decodeProtectedHeader(sealedKey)).toMatchObject({
      alg: 'A256GCMKW',
      enc: 'A256GCM',
      kid: 'current',
      typ: 'mailproof-api-key',
      sub: accountId,
    });
    expect(sealedKey).not.toContain(apiKey);
  });

  it('is opened by any key of the ring', async () => {
    const { sealedKey } = await createKeySealer([old]).seal(apiKey, accountId);
    expect(await createKeySealer([current, old]).open(sealedKey, accountId)).toBe(apiKey);
  });

  it('is not opened for another account', async () => {
    const sealer = createKeySealer([current]);
    const { sealedKey } = await sealer.seal(apiKey, newId('account'));
    await expect(sealer.open(sealedKey, accountId)).rejects.toMatchObject({ kind: 'not_authentic' });
  });

  it('is not opened when its header was changed to name this account', async () => {
    const sealer = createKeySealer([current]);
    const { sealedKey } = await sealer.seal(apiKey, newId('account'));
    const [header = '', ...rest] = sealedKey.split('.');
    const changed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), sub: accountId };
    const forged = [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.');
    await expect(sealer.open(forged, accountId)).rejects.toMatchObject({ kind: 'not_authentic' });
  });

  it('is not taken for something else that the ring sealed', async () => {
    const other = await new CompactEncrypt(new TextEncoder().encode(apiKey))
      .setProtectedHeader({ alg: 'A256GCMKW', enc: 'A256GCM', kid: 'current', typ: 'other', sub: accountId })
      .encrypt(current.key);
    await expect(createKeySealer([current]).open(other, accountId)).rejects.toMatchObject({
      kind: 'not_authentic',
    });
  });

  it('says so when its key-encryption key is lost', async () => {
    const { sealedKey } = await createKeySealer([old]).seal(apiKey, accountId);
    await expect(createKeySealer([current]).open(sealedKey, accountId)).rejects.toMatchObject({
      kind: 'unknown_kid',
    });
    await expect(createKeySealer([current]).open('rubbish', accountId)).rejects.toMatchObject({
      kind: 'unknown_kid',
    });
  });
});
