const publicKeyTag = 6;

/** True where the octets begin with a public-key packet (RFC 9580 sections 4.2 and 5.5.1), in either header format. */
export function isOpenPgpKey(octets: Uint8Array): boolean {
  const [header = 0] = octets;
  const isPacket = (header & 0x80) !== 0;
  const tag = (header & 0x40) !== 0 ? header & 0x3f : (header >> 2) & 0x0f;
  return isPacket && tag === publicKeyTag;
}
