import { PassThrough } from 'node:stream';
import type { Connection } from '@jsforce/jsforce-node/lib/connection.js';
import type { Transport } from '@jsforce/jsforce-node/lib/transport.js';
import type { HttpRequest, HttpResponse } from '@jsforce/jsforce-node/lib/types/common.js';
import type { StreamPromise } from '@jsforce/jsforce-node/lib/util/promise.js';
import type { Outside } from '@mailproof/service-kit';
import { CrmFault } from '../../domain/crm/crm.ts';

/** How the client's requests are sent. */
export interface ExchangeOptions {
  /**
   * The transports for instances with TLS, and for instances at allowed private addresses, which may use plain HTTP.
   */
  readonly outside: { readonly https: Outside; readonly http: Outside };
  readonly userAgent: string;
  /** The deadline for one answer, from the DNS lookup to its last octet, in milliseconds. */
  readonly deadlineMs: number;
}

/** The most octets in one answer. A page of records with long texts has several megabytes. */
const answerBytesMax = 32 * 1_024 * 1_024;
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * The client's transport: every request goes through the guard, only to the instance, once, with a deadline. The
 * client's own transport would follow redirects with the token, retry requests, and use proxies from the environment.
 */
export class GuardedExchange {
  /** The last answer; the client's errors have only its body. */
  last: Pick<HttpResponse, 'statusCode' | 'headers'> | undefined;
  readonly transport: Transport;
  readonly #options: ExchangeOptions;
  readonly #instance: URL;
  readonly #signal: AbortSignal;

  constructor({ StreamPromise }: Jsforce, options: ExchangeOptions, instance: URL, signal: AbortSignal) {
    this.#options = options;
    this.#instance = instance;
    this.#signal = signal;
    this.transport = {
      httpRequest: request =>
        StreamPromise.create(() => ({ stream: new PassThrough(), promise: this.#send(request) })),
      getRequestStreamCreator() {
        throw new Error('Requests are not sent as streams.');
      },
    };
  }

  async #send({ url: address, method, headers, body }: HttpRequest): Promise<HttpResponse> {
    const { outside, userAgent, deadlineMs } = this.#options;
    const url = new URL(address);
    const taken = methods.find(each => each === method);
    if (url.origin !== this.#instance.origin || taken === undefined || (body && typeof body !== 'string')) {
      throw new CrmFault('refused');
    }
    const answer = await (url.protocol === 'https:' ? outside.https : outside.http).request({
      url,
      method: taken,
      headers: { accept: 'application/json', 'user-agent': userAgent, ...headers },
      body: typeof body === 'string' ? body : undefined,
      deadlineMs,
      bytesMax: answerBytesMax,
      signal: this.#signal,
    });
    this.last = { statusCode: answer.status, headers: answer.headers };
    if (answer.status >= 300 && answer.status < 400) {
      throw new CrmFault('refused', null, 'The Salesforce address has changed. Reconnect it.');
    }
    return {
      statusCode: answer.status,
      headers: answer.headers,
      body: new TextDecoder().decode(answer.body),
    };
  }
}

interface Jsforce {
  readonly Connection: typeof Connection;
  readonly StreamPromise: typeof StreamPromise;
}

let loaded: Promise<Jsforce> | undefined;

/**
 * The parts of Salesforce's client that we use, loaded on first use. The whole package would add its own streaming and
 * sockets, which cost twice the memory and are never used (ADR 0042).
 */
export function loadJsforce(): Promise<Jsforce> {
  loaded ??= Promise.all([
    import('@jsforce/jsforce-node/lib/connection.js'),
    import('@jsforce/jsforce-node/lib/util/promise.js'),
  ]).then(([{ Connection }, { StreamPromise }]) => ({ Connection, StreamPromise }));
  return loaded;
}
