import type { Domain } from './look-around.ts';

function nameOf(ascii: string): Domain {
  return { kind: 'name', ascii, unicode: ascii };
}

/** Their hosts are always there, greet everybody, and say from where they see us. */
export const probeDomainsDefault: readonly [Domain, ...Domain[]] = [
  nameOf('gmail.com'),
  nameOf('outlook.com'),
];
