import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import { Agent, request } from 'undici';
import { serveBare } from './bare-process.ts';

/*
 * The first of the bare pair: the same script in Redis, the same look-up in Postgres and a call of the second over
 * HTTP, by the same libraries and with as many connections as the gateway has. No logic, no log, no checks.
 */

interface WithWindow {
  slidingWindow(key: string, limit: number, windowMicroseconds: number, member: string): Promise<unknown>;
}

serveBare(({ databaseUrl, redisUrl, secondUrl, connectionsMax, requestsPerSecond }) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: '-c search_path=gateway',
    max: connectionsMax,
  });
  const redis = new Redis(redisUrl) as Redis & WithWindow;
  const script = new URL('../src/adapters/redis/sliding-window.lua', import.meta.url);
  redis.defineCommand('slidingWindow', { numberOfKeys: 1, lua: readFileSync(script, 'utf8') });
  const agent = new Agent({ connections: 64, keepAliveTimeout: 30_000 });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/me', async (incoming, answer) => {
    const keyHash = createHash('sha256').update(String(incoming.headers['x-api-key'])).digest();
    const { rows } = await pool.query<{ account_id: string }>({
      name: 'look-up-key',
      text: `SELECT account_id, name, plan, requests_per_second, revoked_at
        FROM api_key JOIN account USING (account_id) WHERE key_sha256 = $1`,
      values: [keyHash],
    });
    const accountId = rows[0]?.account_id ?? '';
    await redis.slidingWindow(`bare:${accountId}`, requestsPerSecond, 1_000_000, randomUUID());
    const second = await request(`${secondUrl}/balance/${accountId}`, { dispatcher: agent });
    const { available } = (await second.body.json()) as { available: number };
    answer.json({ credits: available });
  });
  return app;
});
