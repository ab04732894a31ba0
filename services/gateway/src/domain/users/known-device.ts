import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The cookie that lets a device be known again, without saying whose it is. */
export const deviceCookie = '__Host-mailproof_device';

const form = /^([0-9a-f]{32})\.([0-9a-f]{64})$/;

/**
 * Makes the value of a device's cookie. A device that somebody signed in with has failures counted apart, so that
 * strangers who try passwords cannot keep the user out. The value is of no use with another address.
 */
export function newDevice(key: Buffer, email: string): string {
  const device = randomBytes(16).toString('hex');
  return `${device}.${signatureOf(key, device, email).toString('hex')}`;
}

/** Answers the device's name if the cookie was given to it for this address. */
export function knownDevice(key: Buffer, cookie: string | undefined, email: string): string | undefined {
  const [, device, signature] = form.exec(cookie ?? '') ?? [];
  return device !== undefined &&
    signature !== undefined &&
    timingSafeEqual(Buffer.from(signature, 'hex'), signatureOf(key, device, email))
    ? device
    : undefined;
}

/** The value for the browser's device cookie: its present one if that is valid for this address, or a new one. */
export function deviceToKeep(key: Buffer, cookie: string | undefined, email: string): string {
  return cookie !== undefined && knownDevice(key, cookie, email) !== undefined
    ? cookie
    : newDevice(key, email);
}

function signatureOf(key: Buffer, device: string, email: string): Buffer {
  return createHmac('sha256', key).update(`${device}:${email.toLowerCase()}`).digest();
}
