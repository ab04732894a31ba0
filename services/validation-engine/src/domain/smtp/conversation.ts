import { type Clock, type Deadline, within } from '../concurrency/deadline.ts';
import { classifyReply } from '../reply/classify-reply.ts';
import type { Meaning } from '../reply/meaning.ts';
import type { SmtpConnection, SmtpFailure, SmtpOutcome } from './connection.ts';
import type { Reply } from './reply.ts';
import type { Exchange, Stage, Transcript } from './transcript.ts';

/**
 * How long a host may take at each stage. RFC 5321 section 4.5.3.2 grants minutes, too long for a client that waits;
 * some filters take half a minute over RCPT. The caller's deadline shortens all of them.
 */
const stageTimeoutsMs: Readonly<Record<Stage, number>> = {
  greeting: 20_000,
  ehlo: 20_000,
  helo: 20_000,
  starttls: 10_000,
  mail: 20_000,
  rcpt: 40_000,
  rset: 10_000,
  quit: 1_000,
};

/**
 * How long a host that has answered quickly so far may be silent after lines that were sent together. Longer than the
 * tarpit interval of Exchange, which is five seconds for each refusal.
 */
export const silenceMsMin = 6_000;
/** How many times its usual reply time a slow host may take over one reply of a flight. */
const silenceFactor = 8;

/** How much of a delay at each stage counts as the pace of the host, in milliseconds. The rest is deliberate. */
const countedMsMax: Readonly<Partial<Record<Stage, number>>> = { mail: 1_000, rcpt: 1_000, rset: Infinity };

/** A command and its stage in the session. */
export interface Line {
  readonly stage: Stage;
  readonly command: string;
}

/** A connection on which commands are sent and their replies awaited. */
export interface Conversation {
  readonly localLiteral: string;
  /** Waits for the whole greeting: a host with a multiline greeting punishes a client that talks too early. */
  awaitGreeting(deadline: Deadline): Promise<Exchange>;
  say(line: Line, deadline: Deadline): Promise<Exchange>;
  /**
   * Sends all lines together (PIPELINING, RFC 2920) and waits for their replies. Stops at the first outcome after which
   * no more replies will come, so there may be fewer exchanges than lines. Silence ends the wait sooner than for a
   * single line, and never takes more than half of the remaining time: some hosts announce PIPELINING and lose lines
   * that arrive together, and then there must be time to ask again.
   *
   * @param usualReplyMs about how long the host takes for a reply, in milliseconds
   */
  sayTogether(lines: readonly Line[], usualReplyMs: number, deadline: Deadline): Promise<Exchange[]>;
  /** Sends STARTTLS and starts TLS; a failed handshake is a separate exchange. */
  startTls(serverName: string | undefined, deadline: Deadline): Promise<Exchange[]>;
  /**
   * The longest that the host has taken over a reply in a transaction, in milliseconds. Many hosts delay refusals on
   * purpose, so replies before RSET count for at most a second.
   */
  longestMs(): number;
  /** What the host has done unasked: sent something, or hung up. */
  disturbance(): 'said_more' | 'gone' | undefined;
  /** Sends QUIT if the host still listens, and closes the connection. */
  leave(deadline: Deadline): Promise<void>;
}

/** @param onExchange called with every exchange, including those without a reply */
export function holdConversation(
  connection: SmtpConnection,
  clock: Clock,
  onExchange: (exchange: Exchange) => void = () => undefined,
): Conversation {
  let isListening = true;
  let longestMs = 0;

  function noteExchange(line: Line, outcome: SmtpOutcome): Exchange {
    isListening = continuesAfter(outcome);
    const exchange = { ...line, outcome };
    onExchange(exchange);
    return exchange;
  }

  async function listen(line: Line, deadline: Deadline, timeoutMs = stageTimeoutsMs[line.stage]) {
    const sinceMs = clock.nowMs();
    const outcome = await connection.listen(within(clock, deadline, timeoutMs));
    const tookMs = clock.nowMs() - sinceMs;
    longestMs = Math.max(longestMs, Math.min(tookMs, countedMsMax[line.stage] ?? 0));
    return noteExchange(line, outcome);
  }

  async function sayTogether(
    lines: readonly Line[],
    usualReplyMs: number,
    deadline: Deadline,
  ): Promise<Exchange[]> {
    const obstacle = connection.send(lines.map(({ command }) => command));
    const exchanges: Exchange[] = [];
    const silenceMsMax = deadline.remainingMs() / 2;
    let slowestMs = usualReplyMs;
    for (const line of lines) {
      const silenceMs = Math.min(silenceMsMax, Math.max(silenceMsMin, silenceFactor * slowestMs));
      const sinceMs = clock.nowMs();
      const exchange = obstacle
        ? noteExchange(line, obstacle)
        : await listen(line, deadline, Math.min(silenceMs, stageTimeoutsMs[line.stage]));
      slowestMs = Math.max(slowestMs, clock.nowMs() - sinceMs);
      exchanges.push(exchange);
      if (!isListening) {
        break;
      }
    }
    return exchanges;
  }

  async function say(line: Line, deadline: Deadline): Promise<Exchange> {
    const obstacle = connection.send([line.command]);
    return obstacle ? noteExchange(line, obstacle) : listen(line, deadline);
  }

  return {
    localLiteral: connection.localLiteral,
    awaitGreeting: deadline => listen({ stage: 'greeting', command: '' }, deadline),
    say,
    sayTogether,
    async startTls(serverName, deadline) {
      const agreed = await say({ stage: 'starttls', command: 'STARTTLS' }, deadline);
      if (agreed.outcome.kind === 'failure' || agreed.outcome.reply.code !== 220) {
        return [agreed];
      }
      const failure = await connection.startTls(
        serverName,
        within(clock, deadline, stageTimeoutsMs.starttls),
      );
      return failure === undefined
        ? [agreed]
        : [agreed, noteExchange({ stage: 'starttls', command: '' }, { kind: 'failure', failure })];
    },
    longestMs: () => longestMs,
    disturbance() {
      const obstacle = isListening ? connection.send([]) : undefined;
      isListening &&= obstacle === undefined;
      if (isListening) {
        return undefined;
      }
      return obstacle?.kind === 'failure' && obstacle.failure === 'garbled' ? 'said_more' : 'gone';
    },
    async leave(deadline) {
      if (isListening) {
        await say({ stage: 'quit', command: 'QUIT' }, deadline);
      }
      connection.close();
    },
  };
}

/**
 * False after a failure, or after a 421, with which the host hangs up (RFC 5321 section 3.8): no more replies will
 * come.
 */
export function continuesAfter(outcome: SmtpOutcome): boolean {
  return outcome.kind === 'reply' && outcome.reply.code !== 421;
}

/** What an outcome means: the meaning of a reply, or why there was none. */
export type Finding = Meaning | SmtpFailure;

/** The extensions that a host offers (RFC 5321 section 4.1.1.1), by keyword in upper case. */
export type Extensions = ReadonlySet<string>;

type Opening =
  | { readonly kind: 'open'; readonly extensions: Extensions; readonly transcript: Transcript }
  | {
      readonly kind: 'ended';
      readonly stage: Stage;
      readonly finding: Finding;
      readonly transcript: Transcript;
    };

/** What the client knows about a host and tells it about itself. */
interface Introduction {
  /** Our name; without one, EHLO uses our address literal (RFC 5321 section 4.1.4). */
  readonly heloName: string | undefined;
  readonly provider: string | undefined;
  /** Name of the host, for TLS; undefined for a literal. */
  readonly serverName: string | undefined;
  /** False if TLS was tried and failed. */
  readonly useTls: boolean;
}

/**
 * Waits for the greeting, introduces us, and starts TLS if the host offers it, so that no one on the path can read
 * which address is probed. The certificate is not verified: mail hosts use nearly any certificate, and TLS with an
 * unverified host is still no worse than the clear text that it replaces (opportunistic security, RFC 7435).
 */
export async function openSession(
  conversation: Conversation,
  introduction: Introduction,
  deadline: Deadline,
): Promise<Opening> {
  const { provider } = introduction;
  const greeting = await conversation.awaitGreeting(deadline);
  const greeted = find(greeting.outcome, 'greeting', provider);
  if (greeted !== 'accepted') {
    return { kind: 'ended', stage: 'greeting', finding: greeted, transcript: [greeting] };
  }
  const introduced = after([greeting], await introduce(conversation, introduction, deadline));
  if (introduced.kind === 'ended' || !introduction.useTls || !introduced.extensions.has('STARTTLS')) {
    return introduced;
  }
  const securing = await conversation.startTls(introduction.serverName, deadline);
  const transcript = [...introduced.transcript, ...securing];
  const last = securing.at(-1)?.outcome;
  if (last?.kind !== 'reply') {
    return { kind: 'ended', stage: 'starttls', finding: last?.failure ?? 'tls_failed', transcript };
  }
  if (last.reply.code !== 220) {
    // Offered but refused, for example by a host without a certificate at the moment: the session continues in clear
    // text.
    return last.reply.code === 421
      ? { kind: 'ended', stage: 'starttls', finding: find(last, 'starttls', provider), transcript }
      : { ...introduced, transcript };
  }
  // Everything said before TLS is void (RFC 3207 section 4.2).
  return after(transcript, await introduce(conversation, introduction, deadline));
}

/** Sends EHLO, and HELO if the host does not know EHLO (RFC 5321 section 3.2). */
async function introduce(
  conversation: Conversation,
  { heloName, provider }: Introduction,
  deadline: Deadline,
): Promise<Opening> {
  const name = heloName ?? conversation.localLiteral;
  const ehlo = await conversation.say({ stage: 'ehlo', command: `EHLO ${name}` }, deadline);
  const finding = find(ehlo.outcome, 'ehlo', provider);
  if (ehlo.outcome.kind === 'reply' && finding === 'accepted') {
    return { kind: 'open', extensions: extensionsOf(ehlo.outcome.reply), transcript: [ehlo] };
  }
  // A readable reason such as a block is an answer; HELO would only repeat the attempt.
  if (ehlo.outcome.kind === 'failure' || ehlo.outcome.reply.code < 500 || finding !== 'policy') {
    return { kind: 'ended', stage: 'ehlo', finding, transcript: [ehlo] };
  }
  const helo = await conversation.say({ stage: 'helo', command: `HELO ${name}` }, deadline);
  const transcript = [ehlo, helo];
  const second = find(helo.outcome, 'helo', provider);
  return second === 'accepted'
    ? { kind: 'open', extensions: new Set(), transcript }
    : { kind: 'ended', stage: 'helo', finding: second, transcript };
}

function after(earlier: readonly Exchange[], opening: Opening): Opening {
  return { ...opening, transcript: [...earlier, ...opening.transcript] };
}

/**
 * Returns what an outcome means, given its stage in the session, the provider of the host and, for RCPT, the local part
 * of the recipient.
 */
export function find(
  outcome: SmtpOutcome,
  stage: Stage,
  provider: string | undefined,
  localPart?: string,
): Finding {
  return outcome.kind === 'reply'
    ? classifyReply(outcome.reply, stage, provider, localPart)
    : outcome.failure;
}

function extensionsOf(reply: Reply): Extensions {
  // The first line is a greeting; each further line begins with a keyword.
  return new Set(reply.lines.slice(1).map(line => line.split(' ', 1)[0]?.toUpperCase() ?? ''));
}
