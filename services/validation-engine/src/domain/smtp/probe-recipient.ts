import type { EmailAddress } from '@mailproof/shared-types';
import type { Conversation } from './conversation.ts';
import type { MadeUpRecipient } from './made-up-recipients.ts';
import {
  type Extensions,
  type Finding,
  find,
  type Introduction,
  openSession,
  secureSession,
} from './open-session.ts';
import type { Stage } from './transcript.ts';

/** What is asked of one mail host. */
export interface ProbePlan extends Introduction {
  readonly email: EmailAddress;
  readonly madeUp: readonly MadeUpRecipient[];
  /** Sender of the transaction; empty for the null sender (RFC 5321 section 4.5.5). */
  readonly mailFrom: string;
  /** Name of the host, for TLS; undefined for a literal. */
  readonly serverName: string | undefined;
  /** For hosts that dislike several recipients in one transaction. */
  readonly oneRecipientPerTransaction: boolean;
}

/** What a made-up recipient got. */
export interface MadeUpAnswer {
  readonly shape: MadeUpRecipient['shape'];
  readonly finding: Finding;
  /** Asked as the only recipient of its transaction, so that no limit on recipients can explain the answer. */
  readonly alone: boolean;
}

export type ProbeResult =
  /** The session ended before the recipient could be asked about. */
  | { readonly kind: 'ended'; readonly stage: Stage; readonly finding: Finding }
  | { readonly kind: 'smtputf8_unsupported' }
  | { readonly kind: 'answered'; readonly recipient: Finding; readonly madeUp: readonly MadeUpAnswer[] };

type Transaction =
  | { readonly kind: 'open' }
  | Extract<ProbeResult, { kind: 'ended' | 'smtputf8_unsupported' }>;

/**
 * Asks a mail host about a recipient, and about made-up ones unless it refuses the real one: a refusal needs no
 * comparison, and every needless RCPT costs us standing. The real one comes first, because hosts that count refusals
 * would otherwise answer it in anger. DATA is never sent, so there is no message.
 */
export async function probeRecipient(conversation: Conversation, plan: ProbePlan): Promise<ProbeResult> {
  const opening = await openSession(conversation, plan);
  if (opening.kind === 'ended') {
    return opening;
  }
  const probe = createProbe(conversation, plan, opening.extensions);
  const transaction = await probe.begin();
  if (transaction.kind !== 'open') {
    return transaction;
  }
  let recipient = await probe.ask(plan.email.localPart.wireForm);
  if (recipient === 'tls_required') {
    // Some hosts ask for TLS only now.
    const secured = await probe.secure();
    if (secured.kind !== 'open') {
      return secured;
    }
    recipient = await probe.ask(plan.email.localPart.wireForm);
  }
  const madeUp = worthComparing.has(recipient) ? await askMadeUp(probe, plan) : [];
  return { kind: 'answered', recipient, madeUp };
}

/**
 * An acceptance says nothing until it is compared. A greylist remembers each recipient by itself (RFC 6647 section 2.1),
 * so the made-up ones are introduced to it together with the real one, or the next probe would find them strangers.
 */
const worthComparing: ReadonlySet<Finding> = new Set(['accepted', 'greylisted']);

/**
 * What may be a limit in disguise when it meets a second recipient: some hosts take one at a time, and Exim's usual
 * rule for the null sender gives no code for that.
 */
const doubtfulBesideOthers: ReadonlySet<Finding> = new Set([
  'too_many_recipients',
  'refused',
  'policy',
  'temporary',
]);

/** Asks about made-up recipients until one is accepted, all are answered, or the host has had enough. */
async function askMadeUp(probe: Probe, plan: ProbePlan): Promise<MadeUpAnswer[]> {
  const answers: MadeUpAnswer[] = [];
  let shared = !plan.oneRecipientPerTransaction;
  for (const { shape, localPart } of plan.madeUp) {
    let finding = shared ? await probe.ask(localPart) : await probe.askAlone(localPart);
    let alone = !shared;
    if (shared && doubtfulBesideOthers.has(finding) && !probe.isOver()) {
      shared = false;
      alone = true;
      finding = await probe.askAlone(localPart);
    }
    answers.push({ shape, finding, alone });
    if (finding === 'accepted' || probe.isOver()) {
      break;
    }
  }
  return answers;
}

interface Probe {
  begin(): Promise<Transaction>;
  secure(): Promise<Transaction>;
  ask(localPart: string): Promise<Finding>;
  askAlone(localPart: string): Promise<Finding>;
  /** True once the host cannot be asked any more. */
  isOver(): boolean;
}

function createProbe(conversation: Conversation, plan: ProbePlan, offered: Extensions): Probe {
  const international = plan.email.localPart.international;
  let extensions = offered;
  let secured = false;

  async function begin(): Promise<Transaction> {
    if (international && !extensions.has('SMTPUTF8')) {
      return { kind: 'smtputf8_unsupported' };
    }
    const command = `MAIL FROM:<${plan.mailFrom}>${international ? ' SMTPUTF8' : ''}`;
    const finding = find(await conversation.say('mail', command), 'mail', plan.provider);
    if (finding === 'accepted') {
      return { kind: 'open' };
    }
    return finding === 'tls_required' && !secured ? secure() : { kind: 'ended', stage: 'mail', finding };
  }

  async function secure(): Promise<Transaction> {
    if (secured || !extensions.has('STARTTLS')) {
      return { kind: 'ended', stage: 'starttls', finding: 'policy' };
    }
    secured = true;
    const opening = await secureSession(conversation, plan, plan.serverName);
    if (opening.kind === 'ended') {
      return opening;
    }
    extensions = opening.extensions;
    return begin();
  }

  async function ask(localPart: string): Promise<Finding> {
    const command = `RCPT TO:<${localPart}@${plan.email.domain.ascii}>`;
    return find(await conversation.say('rcpt', command), 'rcpt', plan.provider);
  }

  async function askAlone(localPart: string): Promise<Finding> {
    const reset = find(await conversation.say('rset', 'RSET'), 'rset', plan.provider);
    if (reset !== 'accepted') {
      return reset;
    }
    const transaction = await begin();
    if (transaction.kind === 'open') {
      return ask(localPart);
    }
    return transaction.kind === 'ended' ? transaction.finding : 'policy';
  }

  return {
    begin,
    secure,
    ask,
    askAlone,
    isOver() {
      const last = conversation.transcript.at(-1)?.outcome;
      return last?.kind !== 'reply' || last.reply.code === 421;
    },
  };
}
