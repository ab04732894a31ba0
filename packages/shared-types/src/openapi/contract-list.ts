import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createDocument } from 'zod-openapi';
import type { Operation } from '../operation.ts';
import { operations } from '../operations/index.ts';
import { buildDocumentOf, eventWebhooks } from './document.ts';

/**
 * The committed list; its diff shows which contracts a change affects. `pnpm contracts` runs this file and rewrites the
 * list.
 */
export const contractsFile = new URL('../../contracts.txt', import.meta.url);

/** The keys that explain a contract but are not part of it. */
const wording = new Set(['summary', 'description', 'tag', 'tags', 'example', 'examples', 'bodyExample']);

/** Returns one line per operation, in the order of the table, and one per event. */
export function contractList(): string {
  const lines = Object.values<Operation>(operations).map(contractLine);
  return [...lines, ...eventLines()].map(line => `${line}\n`).join('');
}

/** Returns each type of event with a hash of what an endpoint receives. */
export function eventLines(): string[] {
  return Object.entries(eventWebhooks()).map(([type, webhook]) => {
    const document = createDocument({
      openapi: '3.1.0',
      info: { title: type, version: '1' },
      webhooks: { [type]: webhook },
    });
    return `EVENT ${type} ${hashOfContract(document)}`;
  });
}

/** Returns the operation's method, path and id, and a hash of its contract. */
export function contractLine(operation: Operation): string {
  return `${operation.method.toUpperCase()} ${operation.path} ${operation.id} ${hashOf(operation)}`;
}

/** Hashes the operation's OpenAPI document and the facts that the document omits, such as the price. */
function hashOf(operation: Operation): string {
  const { params: _params, query: _query, body: _body, success: _success, ...facts } = operation;
  return hashOfContract([facts, buildDocumentOf(operation)]);
}

function hashOfContract(contract: unknown): string {
  const text = JSON.stringify(withoutWording(contract));
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** Sorts the keys, which mean the same in any order. The members of `properties` are JSON properties: a property named `description` is part of the contract. */
function withoutWording(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map(item => withoutWording(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => key === 'properties' || !wording.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, withoutWording(member, name)]),
  );
}

if (import.meta.main) writeFileSync(contractsFile, contractList());
