import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { serveBare } from '@mailproof/dev-house/bench';
import { collectChargeJob } from '@mailproof/shared-types';
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import { Agent, request } from 'undici';
import type { BareSettings } from './bare-pair.ts';

/*
 * The first process of the bare pair: runs the same Redis script and Postgres statements as the gateway and calls the
 * second process over HTTP, with the same libraries and number of connections. No logic, no log, no checks.
 */

interface WithWindow {
  slidingWindow(key: string, limit: number, windowMicroseconds: number, member: string): Promise<unknown>;
}

serveBare<BareSettings>(({ databaseUrl, redisUrl, secondUrl, connectionsMax, requestsPerSecond }) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: '-c search_path=gateway',
    max: connectionsMax,
  });
  const redis = new Redis(redisUrl) as Redis & WithWindow;
  const script = new URL('../../../packages/service-kit/src/stores/sliding-window.lua', import.meta.url);
  redis.defineCommand('slidingWindow', { numberOfKeys: 1, lua: readFileSync(script, 'utf8') });
  const agent = new Agent({ connections: 64, keepAliveTimeout: 30_000 });

  /** The first steps of every request: look up the account of its key, and count it in the rate window. */
  async function admit(apiKey: string): Promise<string> {
    const keyHash = createHash('sha256').update(apiKey).digest();
    const { rows } = await pool.query<{ account_id: string }>({
      name: 'look_up_key',
      text: `SELECT account_id, name, plan, requests_per_second, revoked_at
        FROM api_key JOIN account USING (account_id) WHERE key_sha256 = $1`,
      values: [keyHash],
    });
    const accountId = rows[0]?.account_id ?? '';
    await redis.slidingWindow(`bare:${accountId}`, requestsPerSecond, 1_000_000, randomUUID());
    return accountId;
  }

  async function post(path: string, body: unknown): Promise<unknown> {
    const second = await request(secondUrl + path, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return second.body.json();
  }

  /** The charge of an answer: recorded, settled, struck off. */
  async function collect(charge: { holdId: string; accountId: string; runId: string }): Promise<void> {
    const { rows } = await pool.query<{ outbox_id: string }>({
      name: 'write_down_charge',
      text: `INSERT INTO outbox (job_type, payload, due_at)
        VALUES ($1, $2, now() + make_interval(secs => 3)) RETURNING outbox_id`,
      values: [collectChargeJob.name, { ...charge, cause: 'validate-single-email', amount: 1 }],
    });
    await post('/settle', { holdId: charge.holdId });
    await pool.query({
      name: 'strike_off_charge',
      text: 'UPDATE outbox SET done_at = now() WHERE outbox_id = $1 AND done_at IS NULL',
      values: [rows[0]?.outbox_id],
    });
  }

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/me', async (incoming, answer) => {
    const accountId = await admit(String(incoming.headers['x-api-key']));
    const second = await request(`${secondUrl}/balance/${accountId}`, { dispatcher: agent });
    const { available } = (await second.body.json()) as { available: number };
    answer.json({ credits: available });
  });
  app.post('/validate', express.json(), async (incoming, answer) => {
    const accountId = await admit(String(incoming.headers['x-api-key']));
    const holdId = `hold_${randomBytes(16).toString('hex')}`;
    const charge = { accountId, holdId, runId: `req_${randomBytes(16).toString('hex')}` };
    await post('/hold', charge);
    const { verdict } = (await post('/verdict', { accountId, email: incoming.body.email })) as {
      verdict: { result: string };
    };
    answer.once('close', () => void collect(charge));
    answer.json({ email: incoming.body.email, result: verdict.result });
  });
  return app;
});
