import { type Outside, OutsideFault } from '@mailproof/service-kit';
import { type CrmAccess, type CrmAccessSource, CrmFault } from '../../domain/crm/crm.ts';
import type { CallKind, CallPace } from './call-pace.ts';
import { faultOfAnswer, isShortLimit } from './hubspot-faults.ts';

export interface TransportOptions {
  /** The transports to HubSpot, and to simulators at private addresses that the operator allows. */
  readonly outside: { readonly https: Outside; readonly http: Outside };
  readonly userAgent: string;
  /** The deadline for one answer, in milliseconds. */
  readonly deadlineMs: number;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  /** Includes the query. */
  readonly path: string;
  readonly body: string | undefined;
}

export interface TransportAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends one API call and returns the answer if it is a success. Throws `CrmFault`. */
export type Transport = (request: TransportRequest, signal: AbortSignal) => Promise<TransportAnswer>;

/** Enough for a page of 200 records with many long texts; HubSpot limits a value to 65,536 characters. */
const answerBytesMax = 32 * 1_024 * 1_024;
/** How often a search waits out the per-second limit, which it shares with the account's other programs. */
const shortWaitsMax = 3;
const shortWaitMs = 1_000;

/**
 * Sends every request of the client: at our pace, through the guard, with a deadline and a size limit, without
 * following redirects. Access that HubSpot refuses is renewed once, even in the middle of an operation.
 */
export function createTransport(
  options: TransportOptions,
  source: CrmAccessSource,
  pace: CallPace,
): Transport {
  const send: Transport = async (request, signal) => {
    const kind = kindOf(request);
    let access = await source.current(signal);
    let isRenewed = false;
    for (let shortWaits = 0; ; ) {
      await pace.take(kind, signal);
      const answer = await exchange(options, access, request, signal);
      pace.learn(answer.headers);
      if (answer.status >= 200 && answer.status <= 299) {
        assertReadable(answer);
        return answer;
      }
      if (answer.status === 401 && !isRenewed) {
        isRenewed = true;
        access = await source.renewed(access, signal);
      } else if (isShortLimit(answer.status, answer.text) && shortWaits < shortWaitsMax) {
        shortWaits += 1;
        pace.hold(kind, shortWaitMs);
      } else {
        const fault = faultOfAnswer(answer);
        if (fault.kind === 'throttled') {
          // The caller waits as long as HubSpot asks. The window slides, so other calls need not wait as long.
          pace.hold(kind, Math.min(fault.waitMs ?? shortWaitMs, shortWaitMs));
        }
        throw fault;
      }
    }
  };
  return async (request, signal) => {
    try {
      return await send(request, signal);
    } catch (error) {
      throw isTooLate(error) ? new CrmFault('away') : error;
    }
  };
}

/** The caller's deadline passed before HubSpot answered or before it was our turn to call it. */
function isTooLate(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

async function exchange(
  { outside, userAgent, deadlineMs }: TransportOptions,
  { accessToken, apiBaseUrl }: CrmAccess,
  { method, path, body }: TransportRequest,
  signal: AbortSignal,
): Promise<TransportAnswer> {
  const url = new URL(apiBaseUrl.replace(/\/+$/, '') + path);
  const way = url.protocol === 'https:' ? outside.https : outside.http;
  try {
    const answer = await way.request({
      url,
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${accessToken}`,
        'user-agent': userAgent,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body,
      deadlineMs,
      bytesMax: answerBytesMax,
      signal,
    });
    return {
      status: answer.status,
      headers: answer.headers,
      text: Buffer.from(answer.body).toString('utf8'),
    };
  } catch (error) {
    if (error instanceof OutsideFault) {
      throw new CrmFault(error.kind === 'not_allowed' || error.kind === 'too_large' ? 'refused' : 'away');
    }
    throw error;
  }
}

/** Rejects the page of an intermediate proxy, which is not an answer from HubSpot. */
function assertReadable({ status, headers }: TransportAnswer): void {
  if (status !== 204 && !/\bjson\b/.test(headers['content-type'] ?? '')) {
    throw new CrmFault('away');
  }
}

function kindOf({ path }: TransportRequest): CallKind {
  return /^\/crm\/(?:v\d+\/)?objects\/(?:\d{4}-\d{2}\/)?[^/]+\/search$/.test(path) ? 'search' : 'call';
}
