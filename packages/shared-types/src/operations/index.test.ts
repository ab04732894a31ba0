import { describe, expect, it } from '@jest/globals';
import * as contracts from '../index.ts';
import type { Operation } from '../operation.ts';
import { appOperations, operations, restOperations } from './index.ts';

const all: readonly Operation[] = Object.values(operations);

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'access' in value && 'path' in value;

describe('the table of operations', () => {
  it('has every operation that is declared, by its id in camel case', () => {
    const declared = Object.values(contracts as Record<string, unknown>).filter(isOperation);
    expect(declared.length).toBeGreaterThan(100);
    expect(new Set(declared)).toEqual(new Set(all));
    for (const [name, { id }] of Object.entries(operations)) {
      expect(name).toBe(id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
    }
  });

  it('gives every public operation its own method and path', () => {
    const paths = [...restOperations, ...appOperations].map(({ method, path }) => `${method} ${path}`);
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
  });

  it('opens every operation of the application to programs, or says why not', () => {
    const closed = appOperations.flatMap(({ id, access }) =>
      access.kind === 'session' && typeof access.byKey === 'string' ? [[id, access.byKey] as const] : [],
    );
    expect(closed.filter(([, reason]) => !/^[A-Z].{20,}\.$/.test(reason))).toEqual([]);
    const opened = restOperations.filter(({ access }) => access.kind === 'apiKey').map(({ id }) => id);
    expect(opened.length).toBeGreaterThan(60);
    expect(opened.filter(id => closed.some(([each]) => each === id))).toEqual([]);
    expect(closed.map(([id]) => id)).toEqual([
      'get-session',
      'sign-out',
      'list-sessions',
      'end-session',
      'sign-out-everywhere',
      'change-password',
      'request-email-change',
      'list-members',
      'invite-member',
      'withdraw-invitation',
      'change-member-role',
      'remove-member',
      'list-security-events',
      'list-notices',
      'mark-notice-read',
      'get-notice-settings',
      'put-notice-settings',
      'view-profile',
      'rename-account',
      'check-address',
      'upload-outcomes-signed-in',
      'export-account',
      'delete-account',
      'get-api-key',
      'regenerate-api-key',
      'list-api-keys',
      'create-api-key',
      'revoke-api-key',
      'change-plan',
      'cancel-plan-change',
      'buy-credits',
      'open-payment-portal',
      'list-connected-assistants',
      'disconnect-assistant-signed-in',
      'begin-crm-connection',
      'complete-crm-connection',
    ]);
  });

  it('says a price where credits can run out, and only there', () => {
    const { createHold, ...others } = operations;
    // The caller decides the amount of a hold.
    expect(createHold.price).toBeUndefined();
    for (const { id, price, problems } of Object.values(others) as Operation[]) {
      expect([id, price !== undefined]).toEqual([id, problems.includes('credits_exhausted')]);
    }
  });
});
