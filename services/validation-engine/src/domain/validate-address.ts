import type { AccountId, EmailAddress, Verdict } from '@mailproof/shared-types';
import { getDomain } from 'tldts';
import type { EvidencePorts } from './catch-all/evidence-source.ts';
import { type EvidencePolicy, gatherCatchAllEvidence } from './catch-all/gather-evidence.ts';
import { contactHosts, type Errand } from './contact-hosts.ts';
import { type Deadline, deadlineAfter, within } from './deadline.ts';
import { findMailHosts, type MailHost, type MailHosts } from './dns/find-mail-hosts.ts';
import { resolveHost } from './dns/resolve-host.ts';
import { findProvider } from './providers/find-provider.ts';
import { findMailboxProvider, type MailboxProvider } from './providers/mailbox-provider.ts';
import type { ProviderKind } from './providers/provider.ts';
import type { Random } from './random.ts';
import { makeUpRecipients } from './smtp/made-up-recipients.ts';
import {
  clearHosts,
  hearHosts,
  type StandingPorts,
  type Withheld,
  withheldBy,
} from './standing/clearance.ts';
import { decide } from './verdict/decide.ts';
import { describeVerdict } from './verdict/describe.ts';
import { type DomainLists, emailTypeOf, isDisposable, isRelay } from './verdict/email-type.ts';
import type { Evidence } from './verdict/evidence.ts';

export interface ValidationPorts extends EvidencePorts, StandingPorts {
  /** Random numbers for the made-up recipients of a domain and form: the same each time, until a week has passed. */
  readonly randomOf: (subject: string) => Random;
  readonly domainLists: DomainLists;
  readonly evidencePolicy: EvidencePolicy;
}

/** A verdict together with what it rests on. */
export interface Validation {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
}

/** Validates within the caller's time, cut to the operator's. Without an account, nobody's own outcomes count. */
export type Validate = (
  email: EmailAddress,
  deadlineMs: number,
  signal: AbortSignal,
  accountId?: AccountId,
) => Promise<Validation>;

/** Part of the caller's time that is kept back, so that the answer is on its way before the caller gives up. */
const marginShare = 0.1;
const marginMsMax = 500;

/** Says whether mail to an address would arrive, within the time given. */
export async function validateAddress(
  ports: ValidationPorts,
  email: EmailAddress,
  deadlineMs: number,
  signal: AbortSignal,
  accountId?: AccountId,
): Promise<Validation> {
  const startedAtMs = ports.clock.nowMs();
  const { evidence, mailboxProvider, withheld } = await gatherEvidence(
    ports,
    email,
    deadlineMs,
    signal,
    accountId,
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

/** What was found out, and what is to be said in place of a verdict where hosts were not asked. */
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
): Promise<Gathered> {
  const usableMs = deadlineMs - Math.min(marginMsMax, deadlineMs * marginShare);
  const deadline = deadlineAfter(ports.clock, usableMs, signal);
  // A domain whose name servers take half of the time will hardly be done in the other half.
  const lookUpDeadline = within(ports.clock, deadline, usableMs / 2);
  const mailHosts = await findMailHosts(ports.dns, email.domain, lookUpDeadline);
  if (mailHosts.kind !== 'found') {
    return { evidence: { mailHosts, attempts: [], complete: true } };
  }
  // Beside the mail hosts, which take longer, so that nobody waits for it.
  const inferring = findMailboxProvider(ports.evidenceDns, mailHosts, email.domain, lookUpDeadline);
  const domain = email.domain.ascii;
  const madeUp = makeUpRecipients(
    form => ports.randomOf(`${domain} ${form}`),
    email.localPart.text,
    ports.domainLists.personal.has(domain),
  );
  const errand: Errand = { email, madeUp };
  // Nothing waits for it: who contacts the host joins the same questions, or finds their answers remembered.
  void lookUpFirst(ports, mailHosts.hosts, lookUpDeadline);
  const clearance = await clearHosts(ports, email, mailHosts.hosts);
  const { attempts, complete } = await contactHosts(ports, clearance.hosts, errand, deadline);
  await hearHosts(ports, email, clearance, attempts);
  const withheld = withheldBy(clearance, attempts);
  const evidence = { mailHosts, attempts, complete: complete && mailHosts.hostsLeftOut === 0 };
  if (withheld || decide(evidence).result !== 'catch_all') {
    return { evidence, withheld, mailboxProvider: await inferring };
  }
  const question = {
    mailHosts: { ...mailHosts, hosts: clearance.hosts },
    attempts,
    errand,
    accountId,
  };
  const catchAll = await gatherCatchAllEvidence(ports, ports.evidencePolicy, question, deadline);
  return { evidence: { ...evidence, catchAll }, mailboxProvider: await inferring };
}

/** Looks up the addresses of the first host while it is found out whether it may be asked. Never rejects. */
async function lookUpFirst(
  { dns }: Pick<ValidationPorts, 'dns'>,
  [first]: readonly MailHost[],
  deadline: Deadline,
): Promise<void> {
  if (first !== undefined && first.addresses === undefined) {
    await resolveHost(dns, first.name, deadline);
  }
}

/** What can be said of the preferred mail host by its name alone. */
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
