import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The cookie that identifies a known device without revealing whose it is. */
export const deviceCookie = '__Host-mailproof_device';

const form = /^([0-9a-f]{32})\.([0-9a-f]{64})$/;

/**
 * Creates the value of a device's cookie. Failures on a device where the user has signed in are counted separately, so
 * strangers who try passwords cannot lock the user out. The value is valid for this address only.
 */
export function newDevice(key: Buffer, email: string): string {
  const device = randomBytes(16).toString('hex');
  return `${device}.${signatureOf(key, device, email).toString('hex')}`;
}

/** Returns the device's name if the cookie was issued for this address. */
export function knownDevice(key: Buffer, cookie: string | undefined, email: string): string | undefined {
  const [, device, signature] = form.exec(cookie ?? '') ?? [];
  return device !== undefined &&
    signature !== undefined &&
    timingSafeEqual(Buffer.from(signature, 'hex'), signatureOf(key, device, email))
    ? device
    : undefined;
}

/** The value for the browser's device cookie: the current one if it is valid for this address, or a new one. */
export function deviceToKeep(key: Buffer, cookie: string | undefined, email: string): string {
  return cookie !== undefined && knownDevice(key, cookie, email) !== undefined
    ? cookie
    : newDevice(key, email);
}

function signatureOf(key: Buffer, device: string, email: string): Buffer {
  return createHmac('sha256', key).update(`${device}:${email.toLowerCase()}`).digest();
}
