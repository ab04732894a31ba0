import { readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { ToolHouse } from './house.ts';

/** A stored text: a row, a Redis key or a log. */
export interface Trace {
  readonly where: string;
  readonly text: string;
}

/** Returns everything that the house stores: all rows of all schemas, all of Redis, all logs. */
export async function dumpEverything(house: ToolHouse): Promise<Trace[]> {
  return [...(await dumpPostgres(house)), ...(await dumpRedis(house)), ...(await readLogs(house))];
}

/** Connects to the house's database as its administrator, who may read every schema. */
export async function withAdministrator<Result>(
  { house }: ToolHouse,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const address = new URL(house.databaseAdminUrl);
  address.pathname = new URL(house.databaseUrls['mcp']?.databaseUrl ?? '').pathname;
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function dumpPostgres(house: ToolHouse): Promise<Trace[]> {
  return withAdministrator(house, async client => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const traces: Trace[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT to_jsonb(each)::text AS row FROM ${name} each`,
      );
      traces.push(...rows.map(({ row }) => ({ where: `Postgres ${name}`, text: withBytesAsText(row) })));
    }
    return traces;
  });
}

/** Octets are shown as `\x…`; this adds them as text, so that secrets are also found in them. */
function withBytesAsText(row: string): string {
  const texts = [...row.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = '']) =>
    Buffer.from(hex, 'hex').toString('latin1'),
  );
  return [row, ...texts].join('\n');
}

async function dumpRedis({ house }: ToolHouse): Promise<Trace[]> {
  const redis = new Redis(house.redisUrl);
  try {
    const traces: Trace[] = [];
    for await (const keys of redis.scanStream({ count: 500 })) {
      for (const key of keys as string[]) {
        const text = JSON.stringify(await readValue(redis, key));
        traces.push({ where: `Redis ${key}`, text: `${key}\n${text}` });
      }
    }
    return traces;
  } finally {
    redis.disconnect();
  }
}

async function readValue(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case 'none':
      return null;
    case 'string':
      return redis.get(key);
    case 'hash':
      return redis.hgetall(key);
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      throw new Error(`Redis keeps something of the type ${type}, which is not dumped.`);
  }
}

async function readLogs({ house }: ToolHouse): Promise<Trace[]> {
  return Promise.all(
    Object.values(house.services).map(async ({ name, logFile }) => ({
      where: `the log of ${name}`,
      text: await readFile(logFile, 'utf8'),
    })),
  );
}

/** Returns the names of the secrets that occur in plain text or in a common encoding. */
export function findLeaks(traces: readonly Trace[], secrets: ReadonlyMap<string, string>): string[] {
  const leaks = new Set<string>();
  for (const [name, secret] of secrets) {
    if (secret.length < 8) throw new Error(`The secret "${name}" is too short to look for.`);
    const forms = formsOf(secret);
    for (const { where, text } of traces) {
      if (forms.some(form => text.includes(form))) leaks.add(`${name} in ${where}`);
    }
  }
  return [...leaks];
}

/** Returns a secret unchanged, escaped for a URL, in hexadecimal, and in base64 at any offset of the encoded text. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap(offset => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const first = offset === 0 ? 0 : 4;
    const last = Math.floor(encoded.length / 3) * 4;
    const inner = (text: string) => text.slice(first, last);
    return [inner(encoded.toString('base64')), inner(encoded.toString('base64url'))];
  });
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), ...base64];
}
