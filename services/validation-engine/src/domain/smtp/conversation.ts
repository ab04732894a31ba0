import { type Clock, type Deadline, within } from '../deadline.ts';
import type { SmtpConnection, SmtpOutcome } from './connection.ts';
import type { Exchange, Stage } from './transcript.ts';

/**
 * How long a host may think at each stage. RFC 5321 section 4.5.3.2 grants minutes, which nobody waits for an
 * answer; some filters take half a minute over RCPT. The deadline of whoever asks cuts all of them short.
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
 * How long a host may be silent over lines that were sent together, where it has answered quickly so far. Longer than
 * the tarpit interval of Exchange, which is five seconds for each refusal.
 */
export const silenceMsMin = 6_000;
/** A host that takes its time over each reply may take so many times as long over one of a flight. */
const silenceFactor = 8;

/** A command, and where in the session it stands. */
export interface Line {
  readonly stage: Stage;
  readonly command: string;
}

/** A connection on which commands are said and their replies awaited. */
export interface Conversation {
  readonly localLiteral: string;
  /** Waits for the greeting, whole: a host that greets in lines punishes whoever talks in between. */
  awaitGreeting(deadline: Deadline): Promise<Exchange>;
  say(line: Line, deadline: Deadline): Promise<Exchange>;
  /**
   * Says all lines together (PIPELINING, RFC 2920) and awaits their replies. The first one that shows that no more
   * will come is the last one answered, so that there may be fewer exchanges than lines. Silence ends the wait sooner
   * than for a single line, and never takes more than half of the time left: some hosts announce PIPELINING and lose
   * what comes together, and then there has to be time to ask again.
   *
   * @param usualReplyMs how long the host has taken over a reply so far
   */
  sayTogether(lines: readonly Line[], usualReplyMs: number, deadline: Deadline): Promise<Exchange[]>;
  /** Asks for TLS and goes over to it; a failed handshake is an exchange of its own. */
  startTls(serverName: string | undefined, deadline: Deadline): Promise<Exchange[]>;
  /** True when the host has gone or has said something that it was not asked. */
  isDisturbed(): boolean;
  /** Takes leave where the host still listens, and closes the connection. */
  leave(deadline: Deadline): Promise<void>;
}

/** @param onHeard told of everything that is heard, and of silence */
export function holdConversation(
  connection: SmtpConnection,
  clock: Clock,
  onHeard: (exchange: Exchange) => void = () => undefined,
): Conversation {
  let isListening = true;

  function heard(line: Line, outcome: SmtpOutcome): Exchange {
    isListening = goesOn(outcome);
    const exchange = { ...line, outcome };
    onHeard(exchange);
    return exchange;
  }

  async function listen(line: Line, deadline: Deadline, timeoutMs = stageTimeoutsMs[line.stage]) {
    return heard(line, await connection.listen(within(clock, deadline, timeoutMs)));
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
        ? heard(line, obstacle)
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
    return obstacle ? heard(line, obstacle) : listen(line, deadline);
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
        : [agreed, heard({ stage: 'starttls', command: '' }, { kind: 'failure', failure })];
    },
    isDisturbed() {
      isListening &&= connection.send([]) === undefined;
      return !isListening;
    },
    async leave(deadline) {
      if (isListening) {
        await say({ stage: 'quit', command: 'QUIT' }, deadline);
      }
      connection.close();
    },
  };
}

/** After a failure, or 421 with which the host hangs up (RFC 5321 section 3.8), nothing more is heard. */
export function goesOn(outcome: SmtpOutcome): boolean {
  return outcome.kind === 'reply' && outcome.reply.code !== 421;
}
