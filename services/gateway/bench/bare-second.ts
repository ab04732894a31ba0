import express from 'express';
import pg from 'pg';
import { serveBare } from './bare-process.ts';

/** The second of the bare pair: one look-up in Postgres, of the balance. */
serveBare(({ databaseUrl, connectionsMax }) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: '-c search_path=ledger',
    max: connectionsMax,
  });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.get('/balance/:accountId', async (incoming, answer) => {
    const { rows } = await pool.query<{ available: string }>({
      name: 'balance',
      text: 'SELECT available, held FROM account WHERE account_id = $1',
      values: [incoming.params.accountId],
    });
    answer.json({ available: Number(rows[0]?.available) });
  });
  return app;
});
