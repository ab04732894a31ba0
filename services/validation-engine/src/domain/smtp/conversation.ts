import { type Clock, type Deadline, within } from '../deadline.ts';
import type { SmtpConnection, SmtpOutcome } from './connection.ts';
import type { Exchange, Stage, Transcript } from './transcript.ts';

/**
 * How long a host may think at each stage. RFC 5321 section 4.5.3.2 grants minutes, which nobody waits for an
 * answer; some filters take half a minute over RCPT. The deadline of the attempt cuts all of them short.
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

/** A connection together with the record of everything said on it. */
export interface Conversation {
  readonly transcript: Transcript;
  readonly localLiteral: string;
  /** Waits for the greeting, whole: a host that greets in lines punishes whoever talks in between. */
  awaitGreeting(): Promise<SmtpOutcome>;
  say(stage: Stage, command: string): Promise<SmtpOutcome>;
  /** Asks for TLS and goes over to it. */
  startTls(serverName: string | undefined): Promise<SmtpOutcome>;
  /**
   * Takes leave where the host still listens. False when the answer shows that the host is out of step, so that each
   * of its answers may have been meant for the command before.
   */
  leave(): Promise<boolean>;
}

export function holdConversation(connection: SmtpConnection, clock: Clock, deadline: Deadline): Conversation {
  const transcript: Exchange[] = [];

  function record(stage: Stage, command: string, outcome: SmtpOutcome): SmtpOutcome {
    transcript.push({ stage, command, outcome });
    return outcome;
  }

  async function say(stage: Stage, command: string): Promise<SmtpOutcome> {
    const end = within(clock, deadline, stageTimeoutsMs[stage]);
    return record(stage, command, await connection.exchange(command, end));
  }

  return {
    transcript,
    localLiteral: connection.localLiteral,
    say,
    async awaitGreeting() {
      return record(
        'greeting',
        '',
        await connection.listen(within(clock, deadline, stageTimeoutsMs.greeting)),
      );
    },
    async startTls(serverName) {
      const outcome = await say('starttls', 'STARTTLS');
      if (outcome.kind === 'failure' || outcome.reply.code !== 220) {
        return outcome;
      }
      const failure = await connection.startTls(
        serverName,
        within(clock, deadline, stageTimeoutsMs.starttls),
      );
      return failure === undefined ? outcome : record('starttls', '', { kind: 'failure', failure });
    },
    async leave() {
      return !isListening(transcript.at(-1)?.outcome) || isFarewell(await say('quit', 'QUIT'));
    },
  };
}

/**
 * QUIT cannot fail (RFC 5321 section 4.1.1.10), except in hosts that do not know it: any other refusal belongs to an
 * earlier command. Silence says nothing.
 */
function isFarewell(outcome: SmtpOutcome): boolean {
  if (outcome.kind === 'failure') {
    return outcome.failure !== 'garbled';
  }
  const { code } = outcome.reply;
  return code < 400 || code === 421 || code === 500 || code === 502;
}

/** After a failure, or 421 with which the host hangs up (RFC 5321 section 3.8), nobody hears a QUIT. */
function isListening(last: SmtpOutcome | undefined): boolean {
  return last?.kind === 'reply' && last.reply.code !== 421;
}
