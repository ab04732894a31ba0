import { expect } from '@jest/globals';
import {
  createTestDatabase,
  type TestDatabase,
  type TestServiceKeys,
  testServiceKeys,
} from '@mailproof/dev-house';
import { createTokenSigner, type PrivateServiceKey, type Service } from '@mailproof/service-kit';
import { type AccountId, newId, problemDocument, type ServiceName } from '@mailproof/shared-types';
import request from 'supertest';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';

let database: TestDatabase;
export let keys: TestServiceKeys;
export let ledger: Service;

/** Starts the ledger that a file's tests call over HTTP, on its own database. */
export async function startLedger(): Promise<void> {
  database = await createTestDatabase('credit-ledger');
  keys = await testServiceKeys();
  ledger = await composeLedger(database.databaseUrl);
  await ledger.start?.();
}

export async function stopLedger(): Promise<void> {
  await ledger.stop();
  await database.drop();
}

export function composeLedger(databaseUrl: string): Promise<Service> {
  return compose(
    loadConfig({
      DATABASE_URL: databaseUrl,
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...keys.settingsOf('credit-ledger'),
    }),
  );
}

export async function tokenOf(caller: ServiceName, audience: ServiceName = 'credit-ledger'): Promise<string> {
  const sign = await createTokenSigner(keys.signingKeys[caller] as PrivateServiceKey);
  return `Bearer ${await sign(audience)}`;
}

export async function post(path: string, body?: object) {
  const call = request(ledger.app)
    .post(`/internal/v1${path}`)
    .set('authorization', await tokenOf('gateway'));
  return body ? call.send(body) : call;
}

export async function accountWith(amount: number): Promise<AccountId> {
  const accountId = newId('account');
  await post('/grants', { grantId: newId('creditGrant'), accountId, amount, cause: 'test-grant' });
  return accountId;
}

export function holdBody(accountId: AccountId, change: object = {}) {
  return { accountId, runId: newId('request'), amount: 1, cause: 'test-run', expiresInMs: 60_000, ...change };
}

export function expectProblem(
  response: { status: number; type: string; body: unknown },
  status: number,
  code: string,
) {
  expect({ status: response.status, type: response.type }).toEqual({
    status,
    type: 'application/problem+json',
  });
  expect(problemDocument.parse(response.body)).toMatchObject({ status, code });
}

export async function get(path: string) {
  return request(ledger.app)
    .get(`/internal/v1${path}`)
    .set('authorization', await tokenOf('gateway'));
}
