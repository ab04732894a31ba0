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
 * Comparisons in Redis, shared by all replicas, under keyed hashes and with the domain taken out of the replies that
 * echo it: who can read Redis cannot list the domains that customers ask about. An entry that an earlier release wrote
 * in another form counts as absent.
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
      const parsed = text === null ? undefined : entry.safeParse(JSON.parse(text));
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

/** A hostile host may say much; what tells replies apart stands at their beginning. */
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
