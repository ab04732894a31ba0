import type { Connection } from '@jsforce/jsforce-node/lib/connection.js';
import { OutsideFault } from '@mailproof/service-kit';
import { ZodError } from 'zod';
import { type CrmAccess, type CrmAccessSource, CrmFault } from '../../domain/crm/crm.ts';
import { type ExchangeOptions, GuardedExchange, loadJsforce } from './guarded-exchange.ts';
import { faultOfAnswer, faultOfOutside, SessionEnded } from './salesforce-faults.ts';

/** A version that every organization has and that supports all our calls. */
const apiVersion = '62.0';

export type Call<Answer> = (connection: Connection) => Promise<Answer>;

/** Calls one organization with Salesforce's client, and renews access once after it has expired. */
export class SalesforceSession {
  readonly #access: CrmAccessSource;
  readonly #options: ExchangeOptions & { readonly now: () => Date };

  constructor(access: CrmAccessSource, options: ExchangeOptions & { readonly now: () => Date }) {
    this.#access = access;
    this.#options = options;
  }

  /**
   * Makes one call. A call with a refused token has no effect, so it is repeated with a new token.
   *
   * @throws CrmFault, or the signal's reason unless it is a timeout
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
        // Otherwise an environment variable could make the client log every request with its contents.
        logLevel: 'NONE',
      });
      connection._transport = exchange.transport;
      return await call(connection);
    } catch (error) {
      // If the caller's deadline passes, the CRM counts as unavailable; any other abort reason is rethrown.
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
    // An unreadable answer is not from Salesforce, but a page of a proxy or for maintenance. Its text is not passed on.
    return error instanceof ZodError ? new CrmFault('away') : new CrmFault('refused');
  }
}

function isTimeOver(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}
