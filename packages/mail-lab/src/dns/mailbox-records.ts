import { createHash } from 'node:crypto';

/** Where DNS publishes the OpenPGP key of a mailbox (RFC 7929 section 3). */
export function openPgpKeyName(localPart: string, domain: string): string {
  return `${localPartLabel(localPart)}._openpgpkey.${domain}`;
}

/** Where DNS publishes the S/MIME certificate association of a mailbox (RFC 8162 section 3). */
export function smimeaName(localPart: string, domain: string): string {
  return `${localPartLabel(localPart)}._smimecert.${domain}`;
}

/**
 * SMIMEA RDATA (RFC 8162 section 2): a domain-issued end-entity certificate (3), the whole of it (0),
 * as a SHA-256 digest (1). The digest stands for a certificate nobody in the lab needs to hold.
 */
export function smimeaAssociation(address: string): Buffer {
  return Buffer.concat([Buffer.from([3, 0, 1]), createHash('sha256').update(address).digest()]);
}

/** SHA-256 of the local part, cut to 28 octets so that its hex form fits a label of 63 octets. */
function localPartLabel(localPart: string): string {
  return createHash('sha256').update(localPart, 'utf8').digest().subarray(0, 28).toString('hex');
}
