/** Lengths in octets (RFC 1035 section 2.3.4), counted in text: without the root's dot. */
const labelOctetsMax = 63;
const nameOctetsMax = 253;

/** Printable ASCII without the backslash, which stands before octets that text cannot show. */
const plainText = /^[\x21-\x5b\x5d-\x7e]+$/;

/** Whether a name can be asked about; zones name hosts in their MX records that cannot. */
export function isAskable(name: string): boolean {
  const plain = normaliseName(name);
  return (
    plain.length <= nameOctetsMax &&
    plainText.test(plain) &&
    plain.split('.').every(label => label.length >= 1 && label.length <= labelOctetsMax)
  );
}

/** Names are the same whatever the case of their letters (RFC 4343). */
export function normaliseName(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}

/**
 * A name out of a record as harmless text: the root as the empty text, and octets that are no printable ASCII as
 * `\DDD` (RFC 1035 section 5.1), since a name may hold any octet, and this one goes into answers and logs.
 */
export function printableName(name: string): string {
  return name === '.' ? '' : name.replace(/[^\x21-\x5b\x5d-\x7e]/gu, escapeOctets);
}

function escapeOctets(character: string): string {
  return [...Buffer.from(character)].map(octet => `\\${String(octet).padStart(3, '0')}`).join('');
}
