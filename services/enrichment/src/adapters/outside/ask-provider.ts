import { type Outside, type OutsideAnswer, OutsideFault } from '@mailproof/service-kit';
import type { EnrichedProfile } from '@mailproof/shared-types';
import { mapAnswer, saysNoMatch } from '../../domain/profile-provider/map-answer.ts';
import {
  ProviderFault,
  type ProviderSecrets,
  type ProviderSettings,
} from '../../domain/profile-provider/profile-provider.ts';
import {
  type ClassifyHost,
  fillBody,
  fillUrl,
  settingsFaults,
  wordsOf,
} from '../../domain/profile-provider/provider-settings.ts';
import type { ProfileUrl } from '../../domain/profile-url/parse-profile-url.ts';

export interface AskProviderOptions {
  readonly outside: Outside;
  readonly classifyHost: ClassifyHost;
  readonly userAgent: string;
}

export interface ProviderQuestion {
  readonly settings: ProviderSettings;
  readonly secrets: ProviderSecrets;
  readonly profile: ProfileUrl;
  readonly signal: AbortSignal;
}

/**
 * Queries an account's own provider. Returns undefined if the provider does not know the profile.
 *
 * @throws ProviderFault, or the signal's reason
 */
export type AskProvider = (question: ProviderQuestion) => Promise<EnrichedProfile | undefined>;

/** The maximum size of a provider's response in bytes. */
const answerBytesMax = 262_144;

export function createAskProvider({ outside, classifyHost, userAgent }: AskProviderOptions): AskProvider {
  return async ({ settings, secrets, profile, signal }) => {
    const words = wordsOf(profile);
    const url = fillUrl(settings.url, words);
    // Checked again each time: the operator may have blocked a range since.
    if (url === undefined || settingsFaults(settings, classifyHost).length > 0) {
      throw new ProviderFault('not_allowed');
    }
    const hasBody = settings.method === 'POST';
    const answer = await outside
      .request({
        url,
        method: settings.method,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...(hasBody && { 'content-type': 'application/json' }),
          ...headersOf(settings, secrets),
        },
        body: hasBody ? JSON.stringify(fillBody(settings.body ?? {}, words)) : undefined,
        deadlineMs: settings.timeout_ms,
        bytesMax: answerBytesMax,
        signal,
      })
      .catch(error => {
        throw error instanceof OutsideFault ? new ProviderFault(error.kind, null, { cause: error }) : error;
      });
    return judge(settings, answer);
  };
}

function headersOf({ headers }: ProviderSettings, secrets: ProviderSecrets): Record<string, string> {
  const sent = headers.map(
    ({ name, value }) => [name.toLowerCase(), value ?? secrets[name.toLowerCase()]] as const,
  );
  if (sent.some(([, value]) => value === undefined)) {
    throw new ProviderFault('secret_not_readable');
  }
  return Object.fromEntries(sent) as Record<string, string>;
}

function judge(
  settings: ProviderSettings,
  { status, headers, body }: OutsideAnswer,
): EnrichedProfile | undefined {
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
