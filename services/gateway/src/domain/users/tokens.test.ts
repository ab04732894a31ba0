import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { deriveKeys } from './derived-keys.ts';
import { knownDevice, newDevice } from './known-device.ts';
import { type LinkPurpose, signLink, verifyLink } from './one-time-link.ts';
import { refuseWeakPassword } from './password-rules.ts';
import { generateSessionToken, hashSessionToken, parseSessionToken } from './session.ts';

const keys = deriveKeys(Buffer.alloc(32, 1).toString('base64url'));
const others = deriveKeys(Buffer.alloc(32, 2).toString('base64url'));
const purposes: readonly LinkPurpose[] = ['sign_up', 'password_reset', 'email_change', 'invitation'];
const idFor = (purpose: LinkPurpose) => (purpose === 'invitation' ? newId('invitation') : newId('link'));

describe('keys that are derived', () => {
  it('differ for each use and each service’s key, and are the same at every replica', () => {
    const all = [...Object.values(keys), ...Object.values(others)].map(key => key.toString('hex'));
    expect(new Set(all).size).toBe(all.length);
    expect(deriveKeys(Buffer.alloc(32, 1).toString('base64url'))).toEqual(keys);
  });
});

describe('the token of a link', () => {
  it.each(purposes)('for %s names its link, and is worth nothing for another purpose', purpose => {
    const linkId = idFor(purpose);
    const token = signLink(keys.links, purpose, linkId);
    expect(verifyLink(keys.links, purpose, token)).toBe(linkId);
    for (const other of purposes.filter(each => each !== purpose)) {
      expect(verifyLink(keys.links, other, token)).toBeUndefined();
    }
    expect(verifyLink(others.links, purpose, token)).toBeUndefined();
  });

  it('is worth nothing when one digit of it is another', () => {
    const token = signLink(keys.links, 'sign_up', newId('link'));
    for (let at = 'mp_link_'.length; at < token.length; at += 1) {
      const digit = token[at] === '0' ? '1' : '0';
      const changed = token.slice(0, at) + digit + token.slice(at + 1);
      expect(verifyLink(keys.links, 'sign_up', changed)).toBeUndefined();
    }
    expect(verifyLink(keys.links, 'sign_up', `${token}0`)).toBeUndefined();
  });
});

describe('a device', () => {
  it('is known for the address that signed in there, and for no other', () => {
    const cookie = newDevice(keys.devices, 'ada@ordinary.example');
    const name = knownDevice(keys.devices, cookie, 'Ada@ordinary.example');
    expect(name).toMatch(/^[0-9a-f]{32}$/);
    // Random digits and a signature: they reveal nothing of the address.
    expect(cookie).toMatch(/^[0-9a-f]{32}\.[0-9a-f]{64}$/);
    expect(knownDevice(keys.devices, cookie, 'bob@ordinary.example')).toBeUndefined();
    expect(knownDevice(others.devices, cookie, 'ada@ordinary.example')).toBeUndefined();
    expect(knownDevice(keys.devices, undefined, 'ada@ordinary.example')).toBeUndefined();
    expect(knownDevice(keys.devices, 'x.y', 'ada@ordinary.example')).toBeUndefined();
  });
});

describe('the token of a session', () => {
  it('is new each time, and kept as its hash', () => {
    const token = generateSessionToken();
    expect(parseSessionToken(token)).toBe(token);
    expect(generateSessionToken()).not.toBe(token);
    expect(hashSessionToken(token)).toHaveLength(32);
    for (const bad of [undefined, '', 'mp_session_', `${token}0`, token.toUpperCase()]) {
      expect(parseSessionToken(bad)).toBeUndefined();
    }
  });
});

describe('a password', () => {
  const common = new Set(['qwerty123456']);

  it.each(['ada.lovelace@ordinary.example', 'Ada.Lovelace@Ordinary.Example', 'ada.lovelace', 'QWERTY123456'])(
    'is refused when a guesser tries it first: %s',
    password => {
      expect(() => refuseWeakPassword(password, 'ada.lovelace@ordinary.example', common)).toThrow(
        expect.objectContaining({ name: 'PasswordFault' }),
      );
    },
  );

  it('is accepted otherwise, with any characters', () => {
    expect(() => refuseWeakPassword('all lower case', 'ada@ordinary.example', common)).not.toThrow();
  });
});
