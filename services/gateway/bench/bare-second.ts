import { serveBare } from '@mailproof/dev-house/bench';
import express from 'express';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { BareSettings } from './bare-pair.ts';

/** The parts of a day in which the engine counts the addresses that an account validates. */
const parts = [1, 2, 3, 4, 5, 6];

/** The second process of the bare pair: the ledger's Postgres statements and the engine's Redis commands. */
serveBare<BareSettings>(async ({ databaseUrl, redisUrl, connectionsMax }) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: '-c search_path=ledger',
    max: connectionsMax,
  });
  const redis = new Redis(redisUrl);
  // As long as a cached verdict.
  await redis.set('bare:verdict', JSON.stringify({ verdict: { result: 'ok', details: 'x'.repeat(900) } }));
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(express.json());
  app.get('/balance/:accountId', async (incoming, answer) => {
    const { rows } = await pool.query<{ available: string }>({
      name: 'balance',
      text: 'SELECT available, held FROM account WHERE account_id = $1',
      values: [incoming.params.accountId],
    });
    answer.json({ available: Number(rows[0]?.available) });
  });
  app.post('/hold', async (incoming, answer) => {
    const { accountId, holdId, runId } = incoming.body as Record<string, string>;
    const { rows } = await pool.query({
      name: 'create-hold',
      text: 'SELECT * FROM create_hold_v1($1, $2, $3, $4, $5, $6, $7, $8)',
      values: [holdId, accountId, runId, 1, 'bare', null, 60_000, null],
    });
    answer.json(rows[0]);
  });
  app.post('/verdict', async (incoming, answer) => {
    const { accountId, email } = incoming.body as Record<string, string>;
    const keysOf = (kind: string) => parts.map(part => `bare:{${accountId}}:${kind}:${part}`);
    const [asked = '', ...before] = keysOf('asked');
    const [text] = await Promise.all([
      redis.get('bare:verdict'),
      Promise.all([redis.pfcount(asked, ...before), redis.pfcount(keysOf('missing'))]).then(() =>
        redis
          .multi()
          .pfadd(asked, email ?? '')
          .pexpire(asked, 60_000)
          .exec(),
      ),
    ]);
    answer.json(JSON.parse(text ?? ''));
  });
  app.post('/settle', async (incoming, answer) => {
    const { rows } = await pool.query({
      name: 'settle-hold',
      text: 'SELECT * FROM settle_hold_v1($1, $2, $3)',
      values: [(incoming.body as { holdId: string }).holdId, 1, null],
    });
    answer.json(rows[0]);
  });
  return app;
});
