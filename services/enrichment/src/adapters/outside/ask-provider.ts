import { setTimeout } from 'node:timers/promises';
import { type Outside, type OutsideAnswer, OutsideFault } from '@mailproof/service-kit';
import { mapAnswer, readPath, saysNoMatch } from '../../domain/profile-provider/map-answer.ts';
import type { AskStep } from '../../domain/profile-provider/own-provider-source.ts';
import {
  ProviderFault,
  type ProviderSecrets,
  type ProviderStep,
} from '../../domain/profile-provider/profile-provider.ts';
import {
  type ClassifyHost,
  fillBody,
  fillUrl,
  stepFaults,
  wordsOf,
} from '../../domain/profile-provider/provider-settings.ts';

export interface AskProviderOptions {
  readonly outside: Outside;
  readonly classifyHost: ClassifyHost;
  readonly userAgent: string;
}

/** The maximum size of a provider's response in bytes. */
const answerBytesMax = 262_144;
/** A provider that answers later is polled at most this often, within the deadline. */
const pollsMax = 20;

/** Queries a provider; undefined if it does not know the profile. Throws ProviderFault, or the signal's reason. */
export function createAskProvider({ outside, classifyHost, userAgent }: AskProviderOptions): AskStep {
  return async ({ settings, secrets, profile, signal }) => {
    const words = wordsOf(profile);
    const url = fillUrl(settings.url, words);
    // Checked again each time: the operator may have blocked a range since.
    if (url === undefined || stepFaults(settings, classifyHost).length > 0) {
      throw new ProviderFault('not_allowed');
    }
    const deadlineAtMs = performance.now() + settings.timeout_ms;
    const ownHeaders = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...headersOf(settings, secrets),
    };
    async function request(to: URL, body?: string): Promise<OutsideAnswer> {
      const deadlineMs = Math.floor(deadlineAtMs - performance.now());
      if (deadlineMs < 1) {
        throw new ProviderFault('too_late');
      }
      const hasBody = body !== undefined;
      return outside
        .request({
          url: to,
          method: hasBody ? 'POST' : 'GET',
          headers: { ...(hasBody && { 'content-type': 'application/json' }), ...ownHeaders },
          body,
          deadlineMs,
          bytesMax: answerBytesMax,
          signal,
        })
        .catch(error => {
          throw error instanceof OutsideFault ? new ProviderFault(error.kind, null, { cause: error }) : error;
        });
    }
    const hasBody = settings.method === 'POST';
    let answer = await request(
      url,
      hasBody ? JSON.stringify(fillBody(settings.body ?? {}, words)) : undefined,
    );
    let polled = url;
    for (let polls = 0; settings.poll !== null && isPending(settings, settings.poll, answer); polls += 1) {
      const waitMs = waitOf(settings.poll, answer);
      if (polls >= pollsMax || performance.now() + waitMs >= deadlineAtMs) {
        throw new ProviderFault('too_late', answer.status);
      }
      polled = pollUrl(settings, settings.poll, answer, polled, polls > 0);
      await setTimeout(waitMs, undefined, { signal });
      answer = await request(polled);
    }
    return judge(settings, answer);
  };
}

type Poll = NonNullable<ProviderStep['poll']>;

function isPending(
  settings: ProviderStep,
  { pending }: Poll,
  { status, headers, body }: OutsideAnswer,
): boolean {
  if (status === 202) {
    return true;
  }
  if (pending === null || status < 200 || status > 299 || settings.no_match.statuses.includes(status)) {
    return false;
  }
  const value = readPath(jsonOf(status, headers['content-type'], body), pending.path);
  return typeof value !== 'object' && pending.values.includes(String(value));
}

function waitOf({ every_ms }: Poll, { headers }: OutsideAnswer): number {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? Math.max(250, seconds * 1_000) : every_ms;
}

/** Where the answer will be: never at another origin, to which the secret headers would go. */
function pollUrl(
  settings: ProviderStep,
  { url_path }: Poll,
  { status, headers, body }: OutsideAnswer,
  before: URL,
  isPolling: boolean,
): URL {
  const said =
    url_path === null ? headers.location : readPath(jsonOf(status, headers['content-type'], body), url_path);
  // A response to a poll need not name the URL again.
  const next =
    said == null && isPolling ? before : typeof said === 'string' ? URL.parse(said, before.href) : null;
  if (next === null || next.origin !== URL.parse(settings.url)?.origin) {
    throw new ProviderFault('not_readable', status);
  }
  return next;
}

function headersOf({ headers }: ProviderStep, secrets: ProviderSecrets): Record<string, string> {
  const sent = headers.map(
    ({ name, value }) => [name.toLowerCase(), value ?? secrets[name.toLowerCase()]] as const,
  );
  if (sent.some(([, value]) => value === undefined)) {
    throw new ProviderFault('secret_not_readable');
  }
  return Object.fromEntries(sent) as Record<string, string>;
}

function judge(
  settings: ProviderStep,
  { status, headers, body }: OutsideAnswer,
): ReturnType<typeof mapAnswer> | undefined {
  if (settings.no_match.statuses.includes(status)) {
    return undefined;
  }
  if (status === 401 || status === 403) {
    throw new ProviderFault('refused', status);
  }
  if (status === 429) {
    throw new ProviderFault('rate_limited', status);
  }
  if (status < 200 || status > 299) {
    throw new ProviderFault('unexpected_status', status);
  }
  const answer = jsonOf(status, headers['content-type'], body);
  return saysNoMatch(answer, settings) ? undefined : mapAnswer(answer, settings.fields);
}

function jsonOf(status: number, contentType: string | undefined, body: Uint8Array): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')) {
    throw new ProviderFault('not_json', status);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // Omit the cause, which quotes the response.
    throw new ProviderFault('not_json', status);
  }
}
