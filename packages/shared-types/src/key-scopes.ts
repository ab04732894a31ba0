import { z } from 'zod';

/**
 * What a named API key can be allowed to do. Each operation that a key opens needs exactly one scope, which its contract
 * names; the account's default key has them all (ADR 0069).
 */
export const keyScopes = {
  validation: 'Validate addresses and lists, and report outcomes of mail. Costs credits.',
  leads:
    'Enrich profiles, find people and companies, and read and change what the account has saved. Costs credits.',
  exports:
    'Export and push rows, read from and write to connected CRMs, and start imports that are validated and charged, or that add companies to lists.',
  'account.read':
    'Read the balance, the statement, the usage, the plan and the settings, with the webhook endpoints, their URLs and deliveries, and the outcome sources.',
  'account.write':
    'Change the settings: the profile provider, the CRM connections, the credit threshold, the webhook endpoints and the outcome sources. It creates, changes, tests and deletes endpoints, rotates their secrets and resends events; it creates, changes and deletes outcome sources and replaces their URLs.',
} as const satisfies Readonly<Record<string, string>>;

export type KeyScope = keyof typeof keyScopes;

export const keyScopeNames = Object.keys(keyScopes) as [KeyScope, ...KeyScope[]];

export const keyScope = z.enum(keyScopeNames);

/** A test key gets the documented answers of the sandbox: it costs nothing, and no server is queried (ADR 0069). */
export const keyModes = ['live', 'test'] as const;

export type KeyMode = (typeof keyModes)[number];
