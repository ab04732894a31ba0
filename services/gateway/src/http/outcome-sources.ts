import { type OperationClient, Problem, readBounded } from '@mailproof/service-kit';
import {
  findOutcomeSource,
  hasPaidHeaders,
  limits,
  type OutcomeRequest,
  outcomeRequestHeaders,
  takeOutcomeEvents,
} from '@mailproof/shared-types';
import type { HasPaid } from '../domain/billing/billing-store.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';
import type { ProviderCaller } from './guards/outcome-source-guard.ts';

const lookupDeadlineMs = 5_000;
/** Time for the dispatcher to verify a request and have its outcomes recorded; providers wait for ten seconds or more. */
const takeDeadlineMs = 15_000;
/** Longest header that is passed on, in characters. */
const headerCharactersMax = 2_000;

/** Finds the source of a token at its owner. Throws `outcome_source_not_found`. */
export function createSourceLookup(dispatcher: OperationClient) {
  return (token: string): Promise<ProviderCaller> =>
    dispatcher.call(findOutcomeSource, { params: {}, body: { token } }, { deadlineMs: lookupDeadlineMs });
}

/** Passes the requests of mail providers to their owner, which verifies them (ADR 0074). */
export function outcomeSourceHandlers(dispatcher: OperationClient, hasPaid: HasPaid) {
  return {
    async receiveOutcomes({ body }, { caller, header, requestId, signal }) {
      const content = await readBounded(body, limits.outcomeEventsBytesMax);
      const paid = hasPaidHeaders(await hasPaid(caller.accountId));
      return dispatcher.call(
        takeOutcomeEvents,
        {
          params: {},
          body: {
            sourceId: caller.sourceId,
            headers: headersOf(header),
            content: Buffer.from(content).toString('base64'),
          },
        },
        { deadlineMs: takeDeadlineMs, signal, headers: { 'x-request-id': requestId, ...paid } },
      );
    },
  } satisfies Partial<GatewayHandlers>;
}

/** @throws Problem if a header is longer than any provider's */
function headersOf(header: (name: string) => string | undefined): OutcomeRequest['headers'] {
  const headers: OutcomeRequest['headers'] = {};
  for (const name of outcomeRequestHeaders) {
    const value = header(name);
    if (value !== undefined && value.length > headerCharactersMax) {
      throw new Problem('invalid_request', {
        detail: `The header \`${name}\` has more than ${headerCharactersMax} characters.`,
      });
    }
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
