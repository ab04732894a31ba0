import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { openEngine } from './open-engine.ts';

test('a failure says what the engine refused, but no value of the request', async () => {
  // As OpenSearch 3 answers a search with more clauses than it allows.
  const reason = 'Query contains too many nested clauses; maxClauseCount is set to 1024';
  const cause = { type: 'too_many_nested_clauses', reason: `${reason}: Ada Lovelace` };
  const answer = { error: { root_cause: [cause], type: 'search_phase_execution_exception' }, status: 400 };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const location = { url: `http://127.0.0.1:${port}`, user: undefined, password: undefined, ca: undefined };
  const engine = openEngine(location);
  try {
    await expect(engine.send('POST', '/people/_search', { body: { query: {} } })).rejects.toMatchObject({
      message: 'The search engine answered 400 (too_many_nested_clauses).',
      status: 400,
    });
  } finally {
    await engine.close();
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});
