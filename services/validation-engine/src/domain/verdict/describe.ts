import {
  type EmailAddress,
  type EmailType,
  type ValidationDetails,
  type Verdict,
  verdictReasons,
} from '@mailproof/shared-types';
import spellChecker from '@zootools/email-spell-checker';
import { getDomain } from 'tldts';
import { ordinaryDomains, relayDomains, throwAwayMailDomains } from '../lists/own-names.ts';
import type { Names } from '../lists/packed-names.ts';
import { findProvider, type MailboxProvider } from '../providers/find-provider.ts';
import type { ProviderKind } from '../providers/provider.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import type { Exchange } from '../smtp/transcript.ts';
import { answersIn } from './decide.ts';
import type { Attempt, Decision, Evidence } from './evidence.ts';
import { explainEvidence } from './explain-evidence.ts';

interface Described {
  readonly email: EmailAddress;
  readonly decision: Decision;
  /** The reason in more detail. */
  readonly explanation?: string | undefined;
  readonly evidence: Pick<Evidence, 'attempts' | 'catchAll'>;
  readonly mxHost: string | undefined;
  /** How the provider of the preferred mail host handles the mail, if we know the provider by name. */
  readonly mxKind: ProviderKind | undefined;
  /** The provider of the mailboxes behind a gateway, as far as it can be inferred. */
  readonly mailboxProvider: MailboxProvider | undefined;
  readonly isDisposable: boolean;
  readonly isRelay: boolean;
  /** Role-based local parts, in lower case. */
  readonly roles: ReadonlySet<string>;
  readonly elapsedMs: number;
}

/** Limits on how much of a session an answer repeats: a hostile host may have said a lot. */
const replyCharactersMax = 500;
const exchangesMax = 40;

/** Describes what a verdict rests on. */
export function describeVerdict(described: Described): ValidationDetails {
  const { email, decision, evidence, mxHost, mxKind, mailboxProvider, roles, elapsedMs } = described;
  return {
    reason: decision.reason,
    explanation: [
      described.explanation ?? verdictReasons[decision.reason],
      ...disagreementIn(evidence.attempts),
      ...explainEvidence(evidence.catchAll?.observations ?? []),
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

/** Notes that hosts of equal preference, or addresses of one, to any of which mail may go, give different answers. */
function disagreementIn(attempts: readonly Attempt[]): string[] {
  const answers = answersIn(attempts);
  if (new Set(answers.map(({ decision }) => decision.reason)).size < 2) {
    return [];
  }
  const said = answers
    .map(({ host, decision }) => `${host} (${decision.result}, ${decision.reason})`)
    .sort()
    .join(', ');
  const who =
    new Set(answers.map(({ host }) => host)).size > 1
      ? 'Mail hosts of equal preference'
      : 'Addresses of one mail host';
  return [`${who} give different answers: ${said}.`];
}

/** The normalized spelling of the address, and the spelling that may have been meant. */
function spellingOf(
  email: EmailAddress,
  { result }: Pick<Decision, 'result'>,
): Pick<ValidationDetails, 'normalised_email' | 'did_you_mean'> {
  const suggestion = result === 'invalid' || result === 'unknown' ? suggestAddress(email) : undefined;
  return {
    normalised_email: email.normalized,
    ...(suggestion !== undefined && { did_you_mean: suggestion }),
  };
}

/** Removes everything that names the address, so that the rest can be stored where the address must not appear. */
export function withoutAddress(verdict: Verdict): Verdict {
  const { did_you_mean: _suggestion, ...details } = verdict.details;
  return { ...verdict, details: { ...details, normalised_email: '', sessions: [] } };
}

/** Puts the address back into a verdict that was stored without it. */
export function withAddress(verdict: Verdict, email: EmailAddress, ageSeconds: number): Verdict {
  const details = { ...verdict.details, ...spellingOf(email, verdict), age_seconds: ageSeconds };
  return { ...verdict, details, elapsedMs: 0 };
}

/** A role address stays one with a tag: sales+fair@ is still sales@. */
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
      // Agreement by other accounts affects the weight and is not reported.
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

/** The age of the comparison, if this session did not ask about the made-up recipients itself. */
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
  const status = enhanced === undefined ? String(code) : `${code} ${enhanced}`;
  const text = lines.join(' | ');
  const reply = text === '' ? status : `${status} ${text}`;
  return { command, reply: reply.slice(0, replyCharactersMax) };
}

/** A likely correction of a mistyped domain, such as gmial.com; undefined if there is none. */
export function suggestAddress({ domain, localPart }: EmailAddress): string | undefined {
  if (domain.kind === 'literal') {
    return undefined;
  }
  // Only the domain is checked, so the local part must not confuse the library.
  const suggestion = spellChecker.run({ email: `somebody@${domain.ascii}` });
  return suggestion && suggestion.domain !== domain.ascii
    ? `${localPart.wireForm}@${suggestion.domain}`
    : undefined;
}

/** The lists of domains, in lower-case A-labels. */
export interface DomainLists {
  /** Each entry was reviewed before it was listed. */
  readonly disposable: Names;
  /** Domains all of whose subdomains are disposable too. */
  readonly disposableParents: Names;
  /** On two lists that are collected automatically. */
  readonly agreed: Names;
  /** Collected automatically, ordinary domains among them: enough for a remark, too little to decide the type. */
  readonly suspected: Names;
  readonly personal: Names;
}

const education = /\.edu$|\.(?:edu|ac|k12)\.[a-z]{2}$|\.k12\.[a-z]{2}\.us$|\.sch\.uk$/;
const government =
  /(?:^|\.)(?:gov|mil|gob|gouv|govt|gub|gv)\.[a-z]{2}$|\.(?:gov|mil)$|\.go\.(?:jp|kr|ke|th|id|tz|ug|cr)$|(?:^|\.)(?:gc\.ca|canada\.ca|europa\.eu|bund\.de|admin\.ch)$|\.fed\.us$/;

/**
 * Says what kind of domain an address belongs to. The agreement of two collections does not count against a domain
 * whose preferred mail host belongs to a known mailbox host or gateway: small companies get onto such lists by mistake.
 */
export function emailTypeOf(domain: string, lists: DomainLists, mxHost?: string): EmailType {
  if (isRelay(domain)) {
    return 'personal';
  }
  if (isKnownThrowAway(domain, lists) || (isAgreed(domain, lists) && !isKeptByProvider(domain, mxHost))) {
    return 'disposable';
  }
  // Checked before the free-mail list, which contains a few universities' domains.
  return typeBySuffix(domain) ?? (lists.personal.has(domain) ? 'personal' : 'business');
}

/** The type, if the ending of the name alone decides it. */
export function typeBySuffix(domain: string): 'education' | 'government' | undefined {
  if (education.test(domain)) {
    return 'education';
  }
  return government.test(domain) ? 'government' : undefined;
}

/** Says whether the domain hands out aliases that forward mail to a mailbox elsewhere. */
export function isRelay(domain: string): boolean {
  return selfAndParents(domain).some(name => relayDomains.has(name));
}

/**
 * Says whether the domain hands out throw-away mailboxes, or is at least suspected of it. The evidence is a list, or a
 * preferred mail host that belongs to a throw-away service.
 */
export function isDisposable(domain: string, lists: DomainLists, mxHost?: string): boolean {
  if (isRelay(domain) || ordinaryDomains.has(domain)) {
    return false;
  }
  return (
    isKnownThrowAway(domain, lists) ||
    isAgreed(domain, lists) ||
    lists.suspected.has(domain) ||
    (mxHost !== undefined && servesThrowAway(mxHost, lists))
  );
}

function isKnownThrowAway(domain: string, lists: DomainLists): boolean {
  if (ordinaryDomains.has(domain)) {
    return false;
  }
  return (
    lists.disposable.has(domain) || selfAndParents(domain).some(name => lists.disposableParents.has(name))
  );
}

function isAgreed(domain: string, lists: DomainLists): boolean {
  return lists.agreed.has(domain) && !ordinaryDomains.has(domain);
}

function isKeptByProvider(domain: string, mxHost: string | undefined): boolean {
  const kind = mxHost === undefined ? undefined : findProvider(mxHost, domain)?.kind;
  return kind === 'mailbox_host' || kind === 'gateway';
}

/**
 * A provider in the table also serves customers' own domains, regardless of what a list says about the provider's
 * domain.
 */
function servesThrowAway(mxHost: string, lists: DomainLists): boolean {
  const registrable = getDomain(mxHost);
  if (registrable === null || isRelay(registrable) || findProvider(mxHost) !== undefined) {
    return false;
  }
  return (
    throwAwayMailDomains.has(registrable) ||
    isKnownThrowAway(registrable, lists) ||
    isAgreed(registrable, lists)
  );
}

function selfAndParents(domain: string): string[] {
  const names = [domain];
  for (let dot = domain.indexOf('.'); dot >= 0; dot = domain.indexOf('.', dot + 1)) {
    names.push(domain.slice(dot + 1));
  }
  return names;
}
