import { PassThrough } from 'node:stream';
import type { Transport } from '@jsforce/jsforce-node/lib/transport.js';
import type { HttpRequest, HttpResponse } from '@jsforce/jsforce-node/lib/types/common.js';
import type { Outside } from '@mailproof/service-kit';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import type { Jsforce } from './load-jsforce.ts';

/** How requests of the client go out. */
export interface ExchangeOptions {
  /** The way to instances that speak TLS, and to those at allowed private addresses that need not. */
  readonly outside: { readonly https: Outside; readonly http: Outside };
  readonly userAgent: string;
  /** Time for one answer, from the look-up of the name to its last octet, in milliseconds. */
  readonly deadlineMs: number;
}

/** Octets of one answer. A page of records with long texts is some megabytes large. */
const answerBytesMax = 32 * 1_024 * 1_024;
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * What the client sends requests with in place of its own transport: every request goes through the guard, to the
 * instance and nowhere else, once, with a deadline. The client's own way would follow redirects with the token, repeat
 * requests and ask proxies that the environment names.
 */
export class GuardedExchange {
  /** The last answer, of which the client's errors tell the body alone. */
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
      throw new CrmFault(
        'refused',
        null,
        'Salesforce answers from another address by now. Connect it again.',
      );
    }
    return {
      statusCode: answer.status,
      headers: answer.headers,
      body: new TextDecoder().decode(answer.body),
    };
  }
}
