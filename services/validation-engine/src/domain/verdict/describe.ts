import {
  type EmailAddress,
  type ValidationDetails,
  type Verdict,
  verdictReasons,
} from '@mailproof/shared-types';
import type { MailboxProvider } from '../providers/mailbox-provider.ts';
import type { ProviderKind } from '../providers/provider.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import type { Exchange } from '../smtp/transcript.ts';
import { suggestAddress } from '../suggest-address.ts';
import { answersIn, type Decision } from './decide.ts';
import type { Attempt, Evidence } from './evidence.ts';

export interface Described {
  readonly email: EmailAddress;
  readonly decision: Decision;
  /** Why, in more words than the reason has. */
  readonly explanation?: string | undefined;
  readonly evidence: Pick<Evidence, 'attempts' | 'catchAll'>;
  readonly mxHost: string | undefined;
  /** What the provider of the preferred mail host does with the mail, where we know it by name. */
  readonly mxKind: ProviderKind | undefined;
  /** Who keeps the mailboxes behind a gateway, as far as it can be inferred. */
  readonly mailboxProvider: MailboxProvider | undefined;
  readonly isDisposable: boolean;
  readonly isRelay: boolean;
  /** Local parts of functions, in lower case. */
  readonly roles: ReadonlySet<string>;
  readonly elapsedMs: number;
}

/** Bounds on what an answer repeats: a hostile host may have said much. */
const replyCharactersMax = 500;
const exchangesMax = 40;

/** Puts into words what a verdict rests on. */
export function describeVerdict(described: Described): ValidationDetails {
  const { email, decision, evidence, mxHost, mxKind, mailboxProvider, roles, elapsedMs } = described;
  return {
    reason: decision.reason,
    explanation: [
      described.explanation ?? verdictReasons[decision.reason],
      ...disagreementIn(evidence.attempts),
    ].join(' '),
    ...spellingOf(email, decision),
    role: isRole(email, roles),
    disposable: described.isDisposable,
    relay: described.isRelay,
    ...(mxHost !== undefined && { mx_host: mxHost }),
    ...(mxKind !== undefined && { mx_kind: mxKind }),
    ...(mailboxProvider && {
      mailbox_provider: { id: mailboxProvider.id, inferred_from: mailboxProvider.inferredFrom },
    }),
    age_seconds: 0,
    time_ms: elapsedMs,
    ...(evidence.catchAll && { catch_all: catchAllOf(evidence.catchAll) }),
    sessions: [...evidence.attempts, ...(evidence.catchAll?.attempts ?? [])].flatMap(sessionOf),
  };
}

/** Says so where hosts of equal preference, to any of which mail may go, give different answers. */
function disagreementIn(attempts: readonly Attempt[]): string[] {
  const answers = answersIn(attempts);
  if (new Set(answers.map(({ decision }) => decision.reason)).size < 2) {
    return [];
  }
  const said = answers
    .map(({ host, decision }) => `${host} (${decision.result}, ${decision.reason})`)
    .sort()
    .join(', ');
  return [`Mail hosts of equal preference give different answers: ${said}.`];
}

/** How the address is spelt, and how it was perhaps meant. */
function spellingOf(
  email: EmailAddress,
  { result }: Pick<Decision, 'result'>,
): Pick<ValidationDetails, 'normalised_email' | 'did_you_mean'> {
  const suggestion = result === 'invalid' || result === 'unknown' ? suggestAddress(email) : undefined;
  return {
    normalised_email: email.normalised,
    ...(suggestion !== undefined && { did_you_mean: suggestion }),
  };
}

/** Takes away whatever names the address, so that the rest may be kept where the address must not be seen. */
export function withoutAddress(verdict: Verdict): Verdict {
  const { did_you_mean: _suggestion, ...details } = verdict.details;
  return { ...verdict, details: { ...details, normalised_email: '', sessions: [] } };
}

/** Puts the address back into a verdict that was kept without it. */
export function withAddress(verdict: Verdict, email: EmailAddress, ageSeconds: number): Verdict {
  const details = { ...verdict.details, ...spellingOf(email, verdict), age_seconds: ageSeconds };
  return { ...verdict, details, elapsedMs: 0 };
}

/** The mailbox of a function keeps its meaning with a tag: sales+fair@ is still sales@. */
function isRole({ localPart }: EmailAddress, roles: ReadonlySet<string>): boolean {
  const base = localPart.text.toLowerCase().split('+', 1)[0] ?? '';
  return roles.has(base);
}

function catchAllOf(catchAll: NonNullable<Evidence['catchAll']>): ValidationDetails['catch_all'] {
  return {
    posterior: catchAll.posterior,
    prior: catchAll.prior,
    weights_version: catchAll.weightsVersion,
    evidence: catchAll.observations.map(({ source, finding, llr, addressSpecific, host, ageDays }) => ({
      source,
      // That others agree is weighed, and not told.
      finding: finding.replace(/^agreed_/, ''),
      weight: llr,
      address_specific: addressSpecific,
      ...(host !== undefined && { host }),
      ...(ageDays !== undefined && { age_days: ageDays }),
    })),
  };
}

function sessionOf(attempt: Attempt): ValidationDetails['sessions'] {
  if (attempt.kind === 'not_connected') {
    return [
      {
        host: attempt.host,
        address: attempt.address,
        exchanges: [{ command: '', reply: `[${attempt.failure}]` }],
      },
    ];
  }
  return attempt.kind === 'probed'
    ? [
        {
          host: attempt.host,
          address: attempt.address,
          exchanges: attempt.transcript.slice(0, exchangesMax).map(exchangeOf),
          ...comparisonAgeOf(attempt.result),
        },
      ]
    : [];
}

/** Says so where the made-up recipients were not asked about in this session. */
function comparisonAgeOf(result: ProbeResult): { compared_seconds_ago?: number } {
  return result.kind === 'answered' && result.comparedMsAgo > 0
    ? { compared_seconds_ago: Math.floor(result.comparedMsAgo / 1_000) }
    : {};
}

function exchangeOf({
  command,
  outcome,
}: Exchange): ValidationDetails['sessions'][number]['exchanges'][number] {
  if (outcome.kind === 'failure') {
    return { command, reply: `[${outcome.failure}]` };
  }
  const { code, enhanced, lines } = outcome.reply;
  const reply = [code, enhanced, lines.join(' | ')].filter(Boolean).join(' ');
  return { command, reply: reply.slice(0, replyCharactersMax) };
}
