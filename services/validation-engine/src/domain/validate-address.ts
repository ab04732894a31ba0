import type { AccountId, EmailAddress, Verdict } from '@mailproof/shared-types';
import { getDomain } from 'tldts';
import type { EvidencePorts } from './catch-all/evidence-source.ts';
import { type EvidencePolicy, gatherCatchAllEvidence } from './catch-all/gather-evidence.ts';
import { contactHosts, type Errand } from './contact-hosts.ts';
import { deadlineAfter, within } from './deadline.ts';
import { findMailHosts, type MailHosts } from './dns/find-mail-hosts.ts';
import { findProvider } from './providers/find-provider.ts';
import type { Random } from './random.ts';
import { makeUpRecipients } from './smtp/made-up-recipients.ts';
import { decide } from './verdict/decide.ts';
import { describeVerdict } from './verdict/describe.ts';
import { type DomainLists, emailTypeOf } from './verdict/email-type.ts';
import type { Evidence } from './verdict/evidence.ts';

export interface ValidationPorts extends EvidencePorts {
  readonly random: Random;
  /** Random numbers for the made-up recipients of a domain: the same each time, until a week has passed. */
  readonly randomOf: (domain: string) => Random;
  readonly domainLists: DomainLists;
  readonly evidencePolicy: EvidencePolicy;
}

export type Identity = Pick<Errand, 'mailFrom' | 'heloName'>;

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
  identity: Identity,
  email: EmailAddress,
  deadlineMs: number,
  signal: AbortSignal,
  accountId?: AccountId,
): Promise<Validation> {
  const startedAtMs = ports.clock.nowMs();
  const evidence = await gatherEvidence(ports, identity, email, deadlineMs, signal, accountId);
  const decision = decide(evidence);
  const mailHost = describeMailHost(evidence.mailHosts, email);
  const emailType =
    email.domain.kind === 'name' ? emailTypeOf(email.domain.ascii, ports.domainLists) : undefined;
  const elapsedMs = Math.round(ports.clock.nowMs() - startedAtMs);
  const verdict: Verdict = {
    ...decision,
    ...mailHost,
    ...(emailType !== undefined && { emailType }),
    details: describeVerdict({
      email,
      decision,
      evidence,
      mxHost: mailHost.mxHost,
      isDisposable: emailType === 'disposable',
      roles: ports.roles,
      elapsedMs,
    }),
    elapsedMs,
  };
  return { verdict, evidence };
}

async function gatherEvidence(
  ports: ValidationPorts,
  identity: Identity,
  email: EmailAddress,
  deadlineMs: number,
  signal: AbortSignal,
  accountId: AccountId | undefined,
): Promise<Evidence> {
  const usableMs = deadlineMs - Math.min(marginMsMax, deadlineMs * marginShare);
  const deadline = deadlineAfter(ports.clock, usableMs, signal);
  // A domain whose name servers take half of the time will hardly be done in the other half.
  const lookUpDeadline = within(ports.clock, deadline, usableMs / 2);
  const mailHosts = await findMailHosts(ports.dns, email.domain, ports.random, lookUpDeadline);
  if (mailHosts.kind !== 'found') {
    return { mailHosts, attempts: [], complete: true };
  }
  const errand: Errand = { ...identity, email, madeUp: makeUpRecipients(ports.randomOf(email.domain.ascii)) };
  const { attempts, complete } = await contactHosts(ports, mailHosts.hosts, errand, deadline);
  const evidence = { mailHosts, attempts, complete: complete && mailHosts.hostsLeftOut === 0 };
  if (decide(evidence).result !== 'catch_all') {
    return evidence;
  }
  const question = { mailHosts, attempts, errand, accountId };
  const catchAll = await gatherCatchAllEvidence(ports, ports.evidencePolicy, question, deadline);
  return { ...evidence, catchAll };
}

/** What can be said of the preferred mail host by its name alone. */
function describeMailHost(
  mailHosts: MailHosts,
  { domain }: EmailAddress,
): Pick<Verdict, 'mxHost' | 'mxDomain' | 'mxProvider' | 'secureEmailGateway'> {
  if (mailHosts.kind !== 'found') {
    return {};
  }
  const mxHost = mailHosts.preferred;
  if (domain.kind === 'literal') {
    return { mxHost };
  }
  const mxDomain = getDomain(mxHost, { allowPrivateDomains: false });
  const provider = findProvider(mxHost, domain.ascii);
  return {
    mxHost,
    ...(mxDomain !== null && { mxDomain }),
    ...(provider !== undefined && { mxProvider: provider.id }),
    secureEmailGateway: provider?.kind === 'gateway',
  };
}
