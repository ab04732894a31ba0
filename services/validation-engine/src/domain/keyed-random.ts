import { createHash, createHmac } from 'node:crypto';
import type { Random } from './random.ts';

/** After this time the numbers change, so that what a host learned about them is worth nothing. */
const periodMs = 7 * 24 * 3_600_000;

/**
 * Random numbers that nobody can foresee without the key, and that are the same for a subject for up to a week. Made-up
 * recipients need both: a greylist opens only for a recipient that it has seen before (RFC 6647 section 2.1), so a later
 * probe must come back with the same ones.
 */
export function keyedRandom(key: Uint8Array, subject: string, nowMs: number): Random {
  const period = Math.floor(nowMs / periodMs);
  const seed = createHmac('sha256', key).update(`${period}\n${subject}`).digest();
  let block = Buffer.alloc(0);
  let blocks = 0;
  let offset = 0;
  return () => {
    if (offset === block.length) {
      // One long output for many numbers: whoever wants one wants dozens.
      block = createHash('shake256', { outputLength: numbersPerBlock * numberOctets })
        .update(seed)
        .update(String(blocks))
        .digest();
      blocks += 1;
      offset = 0;
    }
    offset += numberOctets;
    return block.readUIntBE(offset - numberOctets, numberOctets) / 2 ** (8 * numberOctets);
  };
}

/** 48 bits, the most that make an exact fraction with `readUIntBE`. */
const numberOctets = 6;
const numbersPerBlock = 64;
