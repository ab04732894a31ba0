import { createHash } from 'node:crypto';

/**
 * A small OpenPGP key for an address: a version 4 EdDSA public-key packet and a user ID packet (RFC 4880 sections 5.5.2
 * and 5.11). The key material is derived from the address, so the lab needs no key store. No one has the private key,
 * and an EdDSA key cannot encrypt.
 */
export function openPgpKey(address: string): Buffer {
  const seed = createHash('sha256').update(`mail-lab ${address}`).digest();
  const point = Buffer.concat([Buffer.from([0x40]), seed]);
  const publicKey = Buffer.concat([
    Buffer.from([4]),
    uint32(creationSeconds),
    Buffer.from([edDsaAlgorithm, ed25519Oid.length]),
    ed25519Oid,
    multiprecisionInteger(point),
  ]);
  return Buffer.concat([
    packet(publicKeyTag, publicKey),
    packet(userIdTag, Buffer.from(`<${address}>`, 'utf8')),
  ]);
}

const publicKeyTag = 6;
const userIdTag = 13;
const edDsaAlgorithm = 22;
const ed25519Oid = Buffer.from('2b06010401da470f01', 'hex');
const creationSeconds = Date.UTC(2024, 0, 1) / 1_000;

/** A new-format packet header has one length octet for bodies below 192 octets (RFC 4880 section 4.2.2). */
function packet(tag: number, body: Buffer): Buffer {
  const length =
    body.length < 192 ? [body.length] : [((body.length - 192) >> 8) + 192, (body.length - 192) & 0xff];
  return Buffer.concat([Buffer.from([0xc0 | tag, ...length]), body]);
}

function multiprecisionInteger(octets: Buffer): Buffer {
  const bits = octets.length * 8 - Math.clz32(octets[0] ?? 0) + 24;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bits);
  return Buffer.concat([length, octets]);
}

function uint32(value: number): Buffer {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value);
  return octets;
}
