import { z } from 'zod';
import { fault, type Parsed } from './fault.ts';

/** A mail host named by its network address, for example `[192.0.2.1]` (RFC 5321 section 4.1.3). */
export interface AddressLiteral {
  readonly kind: 'literal';
  readonly family: 4 | 6;
  /** The address without brackets and tag. */
  readonly address: string;
  /** The literal in the form used in SMTP. */
  readonly ascii: string;
}

const ipv4 = z.ipv4();
const ipv6 = z.ipv6();

/** Parses an IPv4 or IPv6 literal. General literals with other tags are refused because no mail host uses them. */
export function parseAddressLiteral(written: string): Parsed<AddressLiteral> {
  const content = /^\[([^[\]]*)\]$/.exec(written)?.[1];
  if (content !== undefined) {
    if (ipv4.safeParse(content).success) {
      return literal(4, content, `[${content}]`);
    }
    const tagged = /^IPv6:(.+)$/i.exec(content)?.[1]?.toLowerCase();
    if (tagged !== undefined && ipv6.safeParse(tagged).success) {
      return literal(6, tagged, `[IPv6:${tagged}]`);
    }
  }
  return fault(
    'address_literal',
    'The part in brackets is neither an IPv4 address nor IPv6: and an IPv6 address.',
  );
}

function literal(family: 4 | 6, address: string, ascii: string): { ok: true; value: AddressLiteral } {
  return { ok: true, value: { kind: 'literal', family, address, ascii } };
}
