import { createHash } from 'node:crypto';

/**
 * The label under which DNS publishes keys of a mailbox (RFC 7929 section 3, RFC 8162 section 3): SHA-256 of the
 * local part, cut to 28 octets so that its hexadecimal form fits a label. Upper case stays, since only the domain
 * knows whether it matters (RFC 7929 section 4); composed characters are the form that both ask for.
 */
export function keyRecordLabel(localPart: string): string {
  return createHash('sha256')
    .update(localPart.normalize('NFC'), 'utf8')
    .digest()
    .subarray(0, 28)
    .toString('hex');
}

/**
 * The file name of a key in a Web Key Directory (draft-koch-openpgp-webkey-service section 3.1): SHA-1 of the local
 * part with ASCII letters, and no others, in lower case, written in Z-Base-32.
 */
export function webKeyName(localPart: string): string {
  const mapped = localPart.replace(/[A-Z]/g, letter => letter.toLowerCase());
  return zBase32(createHash('sha1').update(mapped, 'utf8').digest());
}

/** Five bits a letter (RFC 6189 section 5.1.6). SHA-1 has 160 bits, so nothing is left over. */
function zBase32(octets: Uint8Array): string {
  const alphabet = 'ybndrfg8ejkmcpqxot1uwisza345h769';
  const bits = [...octets].map(octet => octet.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map(group => alphabet.charAt(Number.parseInt(group, 2))).join('');
}
