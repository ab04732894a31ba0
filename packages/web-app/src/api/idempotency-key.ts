/** A new key, under which a request that is sent twice is done once. */
export function newIdempotencyKey(): string {
  // Unlike `crypto.randomUUID`, this is there also where the page came without TLS.
  const octets = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(octets, octet => octet.toString(16).padStart(2, '0')).join('');
}
