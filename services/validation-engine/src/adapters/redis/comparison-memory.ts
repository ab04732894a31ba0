import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ComparisonMemory, RememberedComparison } from '../../domain/smtp/comparison.ts';

const reply = z.object({
  code: z.number(),
  enhanced: z.string().optional(),
  lines: z.array(z.string()),
});

const entry = z.object({
  madeUp: z.array(
    z.object({
      shape: z.enum(['letters', 'name_and_digits']),
      localPart: z.string(),
      finding: z.string(),
      first: z.boolean(),
      reply: reply.optional(),
    }),
  ),
  checkedAtMs: z.number(),
});

/**
 * Comparisons in Redis, shared by all replicas, under keyed hashes: who can read Redis cannot list the domains that
 * customers ask about. An entry that an earlier release wrote in another form counts as absent.
 */
export function createComparisonMemory(redis: Redis, hashOf: (text: string) => string): ComparisonMemory {
  function keyOf(domain: string, host: string): string {
    return `comparison:${hashOf(`comparison\n${domain}\n${host}`)}`;
  }
  return {
    async recall(domain, host) {
      const text = await redis.get(keyOf(domain, host));
      const parsed = text === null ? undefined : entry.safeParse(JSON.parse(text));
      return parsed?.success ? (parsed.data as RememberedComparison) : undefined;
    },
    async remember(domain, host, comparison, lifetimeMs) {
      await redis.set(keyOf(domain, host), JSON.stringify(comparison), 'PX', lifetimeMs);
    },
  };
}
