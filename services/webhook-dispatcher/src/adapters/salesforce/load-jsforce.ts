import type { Connection } from '@jsforce/jsforce-node/lib/connection.js';
import type { StreamPromise } from '@jsforce/jsforce-node/lib/util/promise.js';

export interface Jsforce {
  readonly Connection: typeof Connection;
  readonly StreamPromise: typeof StreamPromise;
}

let loaded: Promise<Jsforce> | undefined;

/**
 * The parts of Salesforce's client that we use, from the first use on. The whole package would bring streaming and
 * sockets of its own along, which cost twice the memory and are never used (ADR 0042).
 */
export function loadJsforce(): Promise<Jsforce> {
  loaded ??= Promise.all([
    import('@jsforce/jsforce-node/lib/connection.js'),
    import('@jsforce/jsforce-node/lib/util/promise.js'),
  ]).then(([{ Connection }, { StreamPromise }]) => ({ Connection, StreamPromise }));
  return loaded;
}
