import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '@mailproof/dev-house';
import { createTokenSigner, type PrivateServiceKey } from '@mailproof/service-kit';
import { newId, type Operation, peerOperations } from '@mailproof/shared-types';
import request from 'supertest';
import {
  composeLedger,
  expectProblem,
  holdBody,
  keys,
  ledger,
  startLedger,
  stopLedger,
  tokenOf,
} from './ledger-over-http.ts';

beforeAll(startLedger);
afterAll(stopLedger);

describe('without Postgres', () => {
  it.each(['connection refused', 'connection lost'])('answers 503, to be tried again: %s', async how => {
    const away = await createTestDatabase('credit-ledger');
    const url = new URL(away.databaseUrl);
    if (how === 'connection refused') {
      url.port = '1';
    }
    const service = await composeLedger(url.href);
    try {
      if (how === 'connection lost') {
        await away.drop();
      }
      const response = await request(service.app)
        .post('/internal/v1/holds')
        .set('authorization', await tokenOf('gateway'))
        .send(holdBody(newId('account')));
      expectProblem(response, 503, 'service_unavailable');
      expect(response.headers).toMatchObject({ 'retry-after': '1' });
    } finally {
      await service.stop();
      await away.drop();
    }
  });
});

describe('every operation', () => {
  /** The operation's path, with an id for each parameter. */
  function pathOf({ path }: Operation): string {
    const ids: Record<string, string> = {
      accountId: newId('account'),
      holdId: newId('hold'),
      useId: newId('allowanceUse'),
      runId: newId('request'),
    };
    return path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '');
  }
  const operations = peerOperations('credit-ledger').map(
    (operation: Operation) => [operation.id, operation] as const,
  );

  async function call(operation: Operation, path: string, token?: string) {
    const asked = request(ledger.app)[operation.method](path);
    return token === undefined ? asked : asked.set('authorization', token);
  }

  it.each(operations)('%s refuses a call without a token', async (_, operation) => {
    expectProblem(await call(operation, pathOf(operation)), 401, 'invalid_service_token');
  });

  it.each(operations)('%s refuses a service that is not among its callers', async (_, operation) => {
    const response = await call(operation, pathOf(operation), await tokenOf('mcp-server'));
    expectProblem(response, 403, 'caller_not_allowed');
  });

  it.each(operations)('%s refuses a token made for another service', async (_, operation) => {
    const token = await tokenOf('gateway', 'validation-engine');
    expectProblem(await call(operation, pathOf(operation), token), 401, 'invalid_service_token');
  });

  it.each(operations)('%s refuses bad input', async (_, operation) => {
    const { access } = operation;
    const [caller = 'gateway'] = access.kind === 'service' ? access.callers : [];
    const takesBody = operation.bodyBytesMax > 0;
    const path = takesBody ? pathOf(operation) : operation.path.replace(/:\w+/g, 'x'.repeat(200));
    const asked = request(ledger.app)
      [operation.method](path)
      .set('authorization', await tokenOf(caller));
    const response = await (takesBody ? asked.send({ unknown: 1 }) : asked);
    expectProblem(response, 400, 'invalid_request');
  });

  it('rejects a token that names another service than its signer', async () => {
    const impostor = { ...keys.signingKeys['validation-engine'], kid: 'gateway' } as PrivateServiceKey;
    const token = await (await createTokenSigner(impostor))('credit-ledger');
    const response = await request(ledger.app)
      .post('/internal/v1/grants')
      .set('authorization', `Bearer ${token}`);
    expectProblem(response, 401, 'invalid_service_token');
  });
});
