import type { AccountId, EmailAddress, Verdict } from '@mailproof/shared-types';
import { getDomain } from 'tldts';
import type { EvidencePorts } from '../catch-all/evidence-source.ts';
import { type EvidencePolicy, gatherCatchAllEvidence } from '../catch-all/gather-evidence.ts';
import {
  type AddressList,
  type Clock,
  type Deadline,
  deadlineAfter,
  within,
} from '../concurrency/deadline.ts';
import { findMailHosts, type MailHost, type MailHosts, resolveHost } from '../dns/find-mail-hosts.ts';
import { findMailboxProvider, findProvider, type MailboxProvider } from '../providers/find-provider.ts';
import type { ProviderKind } from '../providers/provider.ts';
import { makeUpRecipients, type Random } from '../smtp/made-up-recipients.ts';
import {
  clearHosts,
  recordReplies,
  type StandingPorts,
  type Withheld,
  withheldBy,
} from '../standing/clearance.ts';
import { decide } from '../verdict/decide.ts';
import {
  type DomainLists,
  describeVerdict,
  emailTypeOf,
  isDisposable,
  isRelay,
} from '../verdict/describe.ts';
import type { Evidence } from '../verdict/evidence.ts';
import { type ContactTask, contactHosts } from './contact-hosts.ts';

export interface ValidationPorts extends EvidencePorts, StandingPorts {
  /** Random numbers for the made-up recipients of a domain and form: the same each time, for up to a week. */
  readonly randomOf: (subject: string) => Random;
  readonly domainLists: DomainLists;
  readonly evidencePolicy: EvidencePolicy;
}

/** A verdict and the evidence behind it. */
export interface Validation {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
}

/**
 * Validates within the caller's deadline, capped by the operator's. Without an account, all outcomes count as other
 * accounts'. The addresses of a list may wait for one another, to share questions to their hosts.
 */
export type Validate = (
  email: EmailAddress,
  deadlineMs: number,
  signal: AbortSignal,
  accountId?: AccountId,
  list?: AddressList,
) => Promise<Validation>;

/** The share of the caller's time that is kept back, so that the answer is on its way before the caller gives up. */
const marginShare = 0.1;
const marginMsMax = 500;

/** Determines whether mail to an address would arrive, within the time given. */
export async function validateAddress(
  ports: ValidationPorts,
  email: EmailAddress,
  deadlineMs: number,
  signal: AbortSignal,
  accountId?: AccountId,
  list?: AddressList,
): Promise<Validation> {
  const startedAtMs = ports.clock.nowMs();
  const { evidence, mailboxProvider, withheld } = await gatherEvidence(
    ports,
    email,
    deadlineMs,
    signal,
    accountId,
    list,
  );
  const decision = withheld?.decision ?? decide(evidence);
  const mailHost = describeMailHost(evidence.mailHosts, email);
  const emailType =
    email.domain.kind === 'name'
      ? emailTypeOf(email.domain.ascii, ports.domainLists, mailHost.verdict.mxHost)
      : undefined;
  const elapsedMs = Math.round(ports.clock.nowMs() - startedAtMs);
  const verdict: Verdict = {
    ...decision,
    ...mailHost.verdict,
    ...(emailType !== undefined && { emailType }),
    details: describeVerdict({
      email,
      decision,
      explanation: withheld?.explanation,
      evidence,
      mxHost: mailHost.verdict.mxHost,
      mailboxProvider,
      mxKind: mailHost.mxKind,
      isDisposable:
        email.domain.kind === 'name' &&
        isDisposable(email.domain.ascii, ports.domainLists, mailHost.verdict.mxHost),
      isRelay: email.domain.kind === 'name' && isRelay(email.domain.ascii),
      roles: ports.roles,
      elapsedMs,
    }),
    elapsedMs,
  };
  return { verdict, evidence };
}

/** The evidence found, and what to say instead of a verdict if hosts were not asked. */
interface Gathered {
  readonly evidence: Evidence;
  readonly mailboxProvider?: MailboxProvider | undefined;
  readonly withheld?: Withheld | undefined;
}

async function gatherEvidence(
  ports: ValidationPorts,
  email: EmailAddress,
  deadlineMs: number,
  signal: AbortSignal,
  accountId: AccountId | undefined,
  list: AddressList | undefined,
): Promise<Gathered> {
  const usableMs = deadlineMs - Math.min(marginMsMax, deadlineMs * marginShare);
  const deadline = deadlineAfter(ports.clock, usableMs, signal, list);
  // If the name servers of a domain take half of the time, the other half will hardly be enough for the rest.
  const lookUpDeadline = within(ports.clock, deadline, usableMs / 2);
  const mailHosts = await findMailHosts(ports.dns, email.domain, lookUpDeadline);
  if (mailHosts.kind !== 'found') {
    return { evidence: { mailHosts, attempts: [], complete: true } };
  }
  // Runs in parallel with the mail hosts, which take longer, so this adds no time.
  const inferring = findMailboxProvider(ports.evidenceDns, mailHosts, email.domain, lookUpDeadline);
  const domain = email.domain.ascii;
  const madeUp = makeUpRecipients(
    form => ports.randomOf(`${domain} ${form}`),
    email.localPart.text,
    ports.domainLists.personal.has(domain),
  );
  const task: ContactTask = { email, madeUp };
  // Not awaited: contacting the host joins the same lookups, or finds their answers in the cache.
  void lookUpFirst(ports, mailHosts.hosts, lookUpDeadline);
  const clearance = await clearHosts(ports, email, mailHosts.hosts);
  const { attempts, complete } = await contactHosts(ports, clearance.hosts, task, deadline);
  await recordReplies(ports, email, clearance, attempts);
  const withheld = withheldBy(clearance, attempts);
  const evidence = { mailHosts, attempts, complete: complete && mailHosts.hostsLeftOut === 0 };
  if (withheld || decide(evidence).result !== 'catch_all') {
    return { evidence, withheld, mailboxProvider: await inferring };
  }
  const question = {
    mailHosts: { ...mailHosts, hosts: clearance.hosts },
    attempts,
    task,
    accountId,
  };
  const catchAll = await gatherCatchAllEvidence(ports, ports.evidencePolicy, question, deadline);
  return { evidence: { ...evidence, catchAll }, mailboxProvider: await inferring };
}

/** Looks up the addresses of the first host while the check whether it may be asked is running. Never rejects. */
async function lookUpFirst(
  { dns }: Pick<ValidationPorts, 'dns'>,
  [first]: readonly MailHost[],
  deadline: Deadline,
): Promise<void> {
  if (first !== undefined && first.addresses === undefined) {
    await resolveHost(dns, first.name, deadline);
  }
}

/** What the name of the preferred mail host alone says about it. */
function describeMailHost(
  mailHosts: MailHosts,
  { domain }: EmailAddress,
): {
  readonly verdict: Pick<Verdict, 'mxHost' | 'mxDomain' | 'mxProvider' | 'secureEmailGateway'>;
  readonly mxKind: ProviderKind | undefined;
} {
  if (mailHosts.kind !== 'found') {
    return { verdict: {}, mxKind: undefined };
  }
  const mxHost = mailHosts.preferred;
  if (domain.kind === 'literal') {
    return { verdict: { mxHost }, mxKind: undefined };
  }
  const mxDomain = getDomain(mxHost, { allowPrivateDomains: false });
  const provider = findProvider(mxHost, domain.ascii);
  const verdict = {
    mxHost,
    ...(mxDomain !== null && { mxDomain }),
    ...(provider !== undefined && { mxProvider: provider.id }),
    secureEmailGateway: provider?.kind === 'gateway',
  };
  return { verdict, mxKind: provider?.kind };
}

/** The verdict on an address that was not probed. */
export function withheldVerdict(
  { domainLists, roles }: { readonly domainLists: DomainLists; readonly roles: ReadonlySet<string> },
  email: EmailAddress,
  { decision, explanation }: Withheld,
): Verdict {
  const emailType = email.domain.kind === 'name' ? emailTypeOf(email.domain.ascii, domainLists) : undefined;
  return {
    ...decision,
    ...(emailType !== undefined && { emailType }),
    details: describeVerdict({
      email,
      decision,
      explanation,
      evidence: { attempts: [] },
      mxHost: undefined,
      mxKind: undefined,
      mailboxProvider: undefined,
      isDisposable: email.domain.kind === 'name' && isDisposable(email.domain.ascii, domainLists),
      isRelay: email.domain.kind === 'name' && isRelay(email.domain.ascii),
      roles,
      elapsedMs: 0,
    }),
    elapsedMs: 0,
  };
}

/** A running validation, on behalf of the first caller. */
interface Running {
  readonly result: Promise<Validation>;
  readonly endsAtMs: number;
  readonly signal: AbortSignal;
  readonly isOfList: boolean;
}

/**
 * Validates an address once for all concurrent questions of one account about it. A later question joins if the answer
 * comes within its own time, unless it is a single one and the running one is of a list. If the first caller goes away,
 * the next one starts its own validation.
 */
export function shareValidations(validate: Validate, clock: Clock): Validate {
  const inFlight = new Map<string, Running>();

  function begin(key: string, running: Running): Promise<Validation> {
    inFlight.set(key, running);
    const end = () => {
      if (inFlight.get(key) === running) {
        inFlight.delete(key);
      }
    };
    running.result.then(end, end);
    return running.result;
  }

  return async (email, deadlineMs, signal, accountId, list) => {
    // Outcomes that an account has reported, and people whom it has imported, count for it alone, so answers are not
    // shared between accounts.
    const key = `${accountId ?? ''} ${email.normalized}`;
    const endsAtMs = clock.nowMs() + deadlineMs;
    for (;;) {
      const first = inFlight.get(key);
      // A client that waits for one answer must not wait as a list does.
      const isTooLate =
        first !== undefined && (first.endsAtMs > endsAtMs || (first.isOfList && list === undefined));
      if (first === undefined || isTooLate || first.signal.aborted) {
        const remainingMs = Math.max(0, endsAtMs - clock.nowMs());
        return begin(key, {
          result: validate(email, remainingMs, signal, accountId, list),
          endsAtMs,
          signal,
          isOfList: list !== undefined,
        });
      }
      const validation = await first.result;
      if (!first.signal.aborted) {
        return validation;
      }
    }
  };
}
