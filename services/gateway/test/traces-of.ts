import type { Redis } from 'ioredis';
import pg from 'pg';

/** The forms in which a text can leak into a record: verbatim, encoded, or as octets. */
export function spellingsOf(text: string): string[] {
  const octets = Buffer.from(text);
  // In base64 a text looks different at each of three offsets; its first and last characters depend on the adjacent
  // ones.
  const shifted = [0, 1, 2].map(ahead =>
    Buffer.concat([Buffer.alloc(ahead), octets])
      .toString('base64')
      .slice(4, -4),
  );
  return [text, encodeURIComponent(text), octets.toString('hex'), ...shifted];
}

/** The texts that occur in `all`, in any spelling. */
export function withCanaries(texts: readonly string[], all: string): string[] {
  return texts.filter(text => spellingsOf(text).some(spelling => all.includes(spelling)));
}

/**
 * Searches every row of every table of a database, of any owner, for a text; returns the names of the tables with it.
 */
export async function tablesWith(admin: pg.Pool, text: string): Promise<string[]> {
  const { rows: tables } = await admin.query<{ schema: string; name: string }>(
    `SELECT schemaname AS schema, tablename AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2`,
  );
  if (tables.length === 0) {
    throw new Error('There is no table to look into.');
  }
  const found: string[] = [];
  for (const { schema, name } of tables) {
    const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
    const { rowCount } = await admin.query(`SELECT 1 FROM ${table} t WHERE t::text LIKE ANY($1) LIMIT 1`, [
      spellingsOf(text).map(spelling => `%${spelling.replaceAll(/[\\%_]/g, '\\$&')}%`),
    ]);
    if (rowCount) {
      found.push(`${schema}.${name}`);
    }
  }
  return found;
}

/** Every key of Redis with its value, of any type. */
export async function everythingIn(redis: Redis): Promise<string> {
  const keys = await redis.keys('*');
  const values = await Promise.all(
    keys.map(async key => {
      switch (await redis.type(key)) {
        case 'string':
          return redis.get(key);
        case 'hash':
          return JSON.stringify(await redis.hgetall(key));
        case 'list':
          return JSON.stringify(await redis.lrange(key, 0, -1));
        case 'set':
          return JSON.stringify(await redis.smembers(key));
        case 'zset':
          return JSON.stringify(await redis.zrange(key, '0', '-1', 'WITHSCORES'));
        case 'stream':
          return JSON.stringify(await redis.xrange(key, '-', '+'));
        case 'none':
          return '';
        default:
          throw new Error(`No reader knows ${key}.`);
      }
    }),
  );
  return keys.map((key, at) => `${key} ${values[at]}`).join('\n');
}
