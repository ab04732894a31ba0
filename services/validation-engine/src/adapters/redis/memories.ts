import { verdict } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ForgetPorts } from '../../domain/outcomes/record-outcomes.ts';
import type { ComparisonMemory, RememberedComparison } from '../../domain/smtp/comparison.ts';
import type { VerdictMemory } from '../../domain/validation/answer-address.ts';
import type { AddressHasher } from '../keyed-hash.ts';

const verdictEntry = z.object({
  verdict,
  checkedAtMs: z.number(),
  restsOnOwnPeople: z.literal(true).optional(),
});
/** A week: the longest time that a setting allows a verdict to be remembered. */
const audiencesLifetimeMs = 604_800_000;
/** How many addresses one command forgets at most. */
const addressesAtOnceMax = 200;

/**
 * Stores verdicts in Redis, under keyed hashes of their addresses: a reader of Redis can neither list the addresses
 * nor, without the key, look one up. An entry in the format of an earlier release counts as absent.
 */
export function createVerdictMemory(
  redis: Redis,
  hasher: AddressHasher,
): VerdictMemory & Pick<ForgetPorts, 'forget'> {
  return {
    async recall(email, audience) {
      const text = await redis.get(verdictKeyOf(hasher.ofAddress(email), audience));
      const parsed = text === null ? undefined : verdictEntry.safeParse(JSON.parse(text));
      return parsed?.success ? parsed.data : undefined;
    },
    async remember(email, remembered, lifetimeMs, audience) {
      const hash = hasher.ofAddress(email);
      const text = JSON.stringify(remembered);
      if (audience === undefined) {
        await redis.set(verdictKeyOf(hash), text, 'PX', lifetimeMs);
        return;
      }
      // `forget` needs the list of the accounts with a stored verdict.
      await redis
        .multi()
        .set(verdictKeyOf(hash, audience), text, 'PX', lifetimeMs)
        .sadd(audiencesKeyOf(hash), audience)
        .pexpire(audiencesKeyOf(hash), audiencesLifetimeMs)
        .exec();
    },
    async forget(addresses) {
      for (let start = 0; start < addresses.length; start += addressesAtOnceMax) {
        const hashes = addresses
          .slice(start, start + addressesAtOnceMax)
          .map(address => Buffer.from(address, 'hex'));
        const audiences = await Promise.all(hashes.map(hash => redis.smembers(audiencesKeyOf(hash))));
        const keys = hashes.flatMap((hash, index) => [
          verdictKeyOf(hash),
          ...(audiences[index] ?? []).map(audience => verdictKeyOf(hash, audience)),
          audiencesKeyOf(hash),
        ]);
        await redis.unlink(...keys);
      }
    },
  };
}

/** A verdict for a single account has its own key. */
function verdictKeyOf(addressHash: Buffer, audience?: string): string {
  const shared = `verdict:${addressHash.toString('base64url')}`;
  return audience === undefined ? shared : `${shared}:${audience}`;
}

function audiencesKeyOf(addressHash: Buffer): string {
  return `verdict-audiences:${addressHash.toString('base64url')}`;
}

const reply = z.object({
  code: z.number(),
  enhanced: z.string().optional(),
  lines: z.array(z.string()),
});

const comparisonEntry = z.object({
  madeUp: z.array(
    z.object({
      shape: z.enum(['alike', 'random']),
      localPart: z.string(),
      finding: z.string(),
      first: z.boolean(),
      reply: reply.optional(),
    }),
  ),
  checkedAtMs: z.number(),
});

/**
 * Stores comparisons in Redis, shared by all replicas, under keyed hashes. The domain is removed from replies that echo
 * it, so a reader of Redis cannot list the domains that customers ask about. An entry in the format of an earlier
 * release counts as absent.
 */
export function createComparisonMemory(redis: Redis, hashOf: (text: string) => string): ComparisonMemory {
  function keyOf(domain: string, host: string): string {
    return `comparison:${hashOf(`comparison\n${domain}\n${host}`)}`;
  }
  return {
    async forget(domain, host) {
      await redis.del(keyOf(domain, host));
    },
    async recall(domain, host) {
      const text = await redis.get(keyOf(domain, host));
      const parsed = text === null ? undefined : comparisonEntry.safeParse(JSON.parse(text));
      return parsed?.success
        ? withLines(parsed.data as RememberedComparison, line => line.replaceAll(placeholder, () => domain))
        : undefined;
    },
    async remember(domain, host, comparison, lifetimeMs) {
      const echo = new RegExp(domain.replace(/[^a-z\d]/gi, '\\$&'), 'gi');
      const hidden = withLines(comparison, line =>
        line.replace(echo, placeholder).slice(0, lineCharactersMax),
      );
      await redis.set(keyOf(domain, host), JSON.stringify(hidden), 'PX', lifetimeMs);
    },
  };
}

const placeholder = '{domain}';

/** Limits for hostile hosts, which may send a lot; replies differ at their beginning. */
const linesMax = 10;
const lineCharactersMax = 512;

function withLines(comparison: RememberedComparison, change: (line: string) => string): RememberedComparison {
  const madeUp = comparison.madeUp.map(answer =>
    answer.reply === undefined
      ? answer
      : { ...answer, reply: { ...answer.reply, lines: answer.reply.lines.slice(0, linesMax).map(change) } },
  );
  return { ...comparison, madeUp };
}
