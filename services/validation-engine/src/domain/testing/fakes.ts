import { type EmailAddress, parseEmailAddress } from '@mailproof/shared-types';
import { type AddressList, type Clock, type Deadline, deadlineAfter } from '../concurrency/deadline.ts';
import type { DnsAnswer, MailDns, MxRecord } from '../dns/mail-dns.ts';
import { type ComparisonMemory, createComparisons } from '../smtp/comparison.ts';
import type { SmtpConnection, SmtpConnector, SmtpFailure, SmtpOutcome } from '../smtp/connection.ts';
import type { Identity } from '../smtp/pool/session-pool.ts';
import { createSessionPool } from '../smtp/pool/session-pool.ts';
import type { ProbePorts } from '../smtp/probe-recipient.ts';
import { readReply } from '../smtp/reply.ts';
import type { Evidence } from '../verdict/evidence.ts';

/** A list in which any domain may come again. */
export const shuffledList: AddressList = { mayHaveMore: () => true };

/** The time of an address of a validation job, in milliseconds, with the default of `VALIDATION_DEADLINE_MS`. */
export const jobDeadlineMs = 24_500;

/** A host that deferred the recipient without giving a reason. */
export function deferredInPlainWords(reply = '451 4.3.0 Not now'): Pick<Evidence, 'attempts'> {
  return {
    attempts: [
      {
        kind: 'probed',
        host: 'mx.a.example',
        address: '192.0.2.1',
        transcript: [{ stage: 'rcpt', command: 'RCPT TO:<ada@a.example>', outcome: replyOf(reply) }],
        result: {
          kind: 'answered',
          recipient: 'temporary',
          reply: readReply(Number(reply.slice(0, 3)), [reply.slice(4)]),
          madeUp: [],
          comparedMsAgo: 0,
        },
      },
    ],
  };
}

/** A clock that moves only when told to. */
export function createStillClock() {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    advance(ms: number) {
      nowMs += ms;
    },
  };
}

export function amply(): Deadline {
  return deadlineAfter(createStillClock(), 60_000, new AbortController().signal);
}

export function emailOf(text: string): EmailAddress {
  const parsed = parseEmailAddress(text);
  if (!parsed.ok) {
    throw new Error(parsed.fault.message);
  }
  return parsed.value;
}

export interface Zone {
  readonly mx?: Readonly<Record<string, DnsAnswer<MxRecord>>>;
  readonly ipv4?: Readonly<Record<string, DnsAnswer<string>>>;
  readonly ipv6?: Readonly<Record<string, DnsAnswer<string>>>;
}

/** A DNS that answers only the given names and throws for any other query. */
export function createFakeDns(zone: Zone): MailDns {
  function answer<DnsRecord>(
    type: string,
    records: Readonly<Record<string, DnsAnswer<DnsRecord>>> | undefined,
    name: string,
  ): DnsAnswer<DnsRecord> {
    const found = records?.[name];
    if (found === undefined) {
      throw new Error(`DNS was asked for ${type} of ${name}, which the test does not expect.`);
    }
    return found;
  }
  return {
    resolveMx: async name => answer('MX', zone.mx, name),
    resolveAddresses: async (name, family) =>
      family === 4
        ? answer('A', zone.ipv4, name)
        : zone.ipv6 === undefined
          ? { kind: 'nodata' }
          : answer('AAAA', zone.ipv6, name),
  };
}

/** Either a reply in wire form, with lines separated by `|`, or a failure. */
export type ScriptedOutcome = string | { readonly failure: SmtpFailure };

export interface ScriptedConnection extends SmtpConnection {
  readonly said: readonly string[];
  readonly isClosed: () => boolean;
  /** How many entries of the script remain after the conversation. */
  readonly unused: () => number;
}

/**
 * A mail host that answers from a script of expected commands and replies. Like a well-behaved host, it accepts a
 * recipient again in any transaction once it has accepted it, even if the script does not say so.
 *
 * @param accepted the RCPT commands that the host has accepted in other sessions; this session adds its own
 */
export function createScriptedConnection(
  script: readonly (readonly [expected: RegExp, outcome: ScriptedOutcome])[],
  {
    greeted = false,
    accepted = new Set<string>(),
  }: { readonly greeted?: boolean; readonly accepted?: Set<string> } = {},
): ScriptedConnection {
  const rest = [...script];
  const said: string[] = [];
  const unanswered: string[] = [];
  let isGreeted = greeted;
  let closed = false;

  function next(command: string): SmtpOutcome {
    const isAgain = accepted.has(command) || (accepted.size > 0 && /^MAIL|^RSET/.test(command));
    if (isAgain && rest[0]?.[0].test(command) !== true) {
      return replyOf('250 Ok');
    }
    const [expected, outcome] = rest.shift() ?? [];
    if (typeof outcome === 'string' && outcome.startsWith('250') && command.startsWith('RCPT')) {
      accepted.add(command);
    }
    if (expected === undefined || outcome === undefined || !expected.test(command)) {
      throw new Error(`The host heard "${command}", which the test does not expect.`);
    }
    return typeof outcome === 'string' ? replyOf(outcome) : { kind: 'failure', failure: outcome.failure };
  }

  return {
    said,
    localLiteral: '[192.0.2.9]',
    isClosed: () => closed,
    unused: () => rest.length,
    send(commands) {
      said.push(...commands);
      unanswered.push(...commands);
      return undefined;
    },
    async listen() {
      if (!isGreeted) {
        isGreeted = true;
        return next('');
      }
      return next(unanswered.shift() ?? '(nothing)');
    },
    async startTls() {
      const outcome = next('(tls)');
      return outcome.kind === 'failure' ? outcome.failure : undefined;
    },
    close() {
      closed = true;
    },
  };
}

/** Sessions with scripted hosts, without any memory. */
export function createProbePorts(
  connector: SmtpConnector,
  clock: Clock,
  identity: Partial<Identity> = {},
): ProbePorts & { close(): Promise<void> } {
  const asker = createSessionPool({
    connector,
    clock,
    heloName: 'probe.checker.example',
    mailFrom: '',
    ...identity,
    sessionsPerHostMax: 5,
    sessionsMax: 10,
  });
  const memory: ComparisonMemory = {
    recall: async () => undefined,
    remember: async () => undefined,
    forget: async () => undefined,
  };
  const failed = (error: unknown) => {
    throw error;
  };
  const comparisons = createComparisons(
    { asker, memory, clock, nowMs: () => 0, onStoreFailed: failed },
    { conclusiveMs: 0, inconclusiveMs: 0 },
  );
  return { asker, comparisons, clock, close: asker.close };
}

function replyOf(text: string): SmtpOutcome {
  const lines = text.split('|');
  return {
    kind: 'reply',
    reply: readReply(
      Number(text.slice(0, 3)),
      lines.map(line => line.replace(/^\d{3}[ -]?/, '')),
    ),
  };
}
