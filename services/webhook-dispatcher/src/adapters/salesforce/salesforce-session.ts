import type { Connection } from '@jsforce/jsforce-node/lib/connection.js';
import { OutsideFault } from '@mailproof/service-kit';
import { ZodError } from 'zod';
import type { CrmAccess, CrmAccessSource } from '../../domain/crm/crm-access.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import { faultOfAnswer, faultOfOutside, SessionEnded } from './call-fault.ts';
import { type ExchangeOptions, GuardedExchange } from './guarded-exchange.ts';
import { loadJsforce } from './load-jsforce.ts';

/** A version that every organisation has and that has all we call. */
const apiVersion = '62.0';

export type Call<Answer> = (connection: Connection) => Promise<Answer>;

/** Calls one organisation by Salesforce's client, with access that is renewed once where it has run out. */
export class SalesforceSession {
  readonly #access: CrmAccessSource;
  readonly #options: ExchangeOptions & { readonly now: () => Date };

  constructor(access: CrmAccessSource, options: ExchangeOptions & { readonly now: () => Date }) {
    this.#access = access;
    this.#options = options;
  }

  /**
   * Does one call. A refused token has done nothing, so that the call can be repeated with another one.
   *
   * @throws CrmFault, and the signal's reason unless that is that time is over
   */
  async call<Answer>(signal: AbortSignal, call: Call<Answer>): Promise<Answer> {
    const access = await this.#access.current(signal);
    try {
      return await this.#attempt(access, signal, call);
    } catch (error) {
      if (!(error instanceof SessionEnded)) {
        throw error;
      }
    }
    const renewed = await this.#access.renewed(access, signal);
    try {
      return await this.#attempt(renewed, signal, call);
    } catch (error) {
      throw error instanceof SessionEnded ? new CrmFault('revoked') : error;
    }
  }

  async #attempt<Answer>(access: CrmAccess, signal: AbortSignal, call: Call<Answer>): Promise<Answer> {
    const jsforce = await loadJsforce();
    signal.throwIfAborted();
    const instance = URL.parse(access.apiBaseUrl);
    if (instance === null || !/^https?:$/.test(instance.protocol)) {
      throw new CrmFault('refused');
    }
    const exchange = new GuardedExchange(jsforce, this.#options, instance, signal);
    try {
      const connection = new jsforce.Connection({
        instanceUrl: instance.origin,
        accessToken: access.accessToken,
        version: apiVersion,
        // Otherwise a variable of the environment could have every request written to the log, with what it says.
        logLevel: 'NONE',
      });
      connection._transport = exchange.transport;
      return await call(connection);
    } catch (error) {
      // Whoever gives a call so much time and no more sees a CRM that is away; any other reason to end it is theirs.
      if (signal.aborted && !isTimeOver(signal.reason)) {
        throw signal.reason;
      }
      throw signal.aborted ? new CrmFault('away') : this.#faultOf(error, exchange);
    }
  }

  #faultOf(error: unknown, { last }: GuardedExchange): unknown {
    if (error instanceof CrmFault) {
      return error;
    }
    if (error instanceof OutsideFault) {
      return faultOfOutside(error);
    }
    if (last !== undefined && last.statusCode >= 400) {
      const { message, errorCode } = error as { message?: unknown; errorCode?: unknown };
      return faultOfAnswer(
        {
          status: last.statusCode,
          headers: last.headers,
          errorCode: typeof errorCode === 'string' ? errorCode : '',
          message: typeof message === 'string' ? message : '',
        },
        this.#options.now(),
      );
    }
    // What came is no answer of Salesforce's: a page of a proxy, or of a maintenance. Its text stays here.
    return error instanceof ZodError ? new CrmFault('away') : new CrmFault('refused');
  }
}

function isTimeOver(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
