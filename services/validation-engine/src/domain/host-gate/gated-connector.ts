import { type Deadline, isOver } from '../concurrency/deadline.ts';
import type { SmtpConnection, SmtpConnector, SmtpOutcome } from '../smtp/connection.ts';
import type { Finding } from '../smtp/conversation.ts';
import type { Reply } from '../smtp/reply.ts';
import type { HostGate, HostSlot } from './host-gate.ts';

/**
 * Limit on connections opened for one session if the host turned away earlier ones because of our other sessions. Each
 * refusal lowers the cap by at least one, so six connections are enough to learn the usual caps.
 */
const connectionsMax = 6;

/** Opens a connection only with a slot at the host, and keeps the slot until the connection closes. */
export function createGatedConnector(connector: SmtpConnector, gate: HostGate): SmtpConnector {
  // Waiting for a slot says nothing about the host, so the time until it counts as slow starts with the dial.
  async function open(address: string, deadline: Deadline, onSlow?: () => void) {
    const slot = await gate.enter(address, deadline);
    if (!slot) {
      return { kind: 'failure', failure: 'crowded_out' } as const;
    }
    const opened = await connector.connect(address, deadline, onSlow);
    if (opened.kind === 'failure') {
      await slot.leave('fine');
      return opened;
    }
    return { kind: 'connected', connection: opened.connection, slot } as const;
  }

  return {
    async connect(address, deadline, onSlow) {
      const opened = await open(address, deadline, onSlow);
      return opened.kind === 'failure'
        ? opened
        : { kind: 'connected', connection: gated(opened, later => open(address, later)) };
    },
  };

  function gated(
    first: { connection: SmtpConnection; slot: HostSlot },
    reopen: (deadline: Deadline) => ReturnType<typeof open>,
  ): SmtpConnection {
    let { connection, slot } = first;
    let connections = 1;
    let isGreeted = false;
    let hasLeft = false;
    let isThrottled = false;

    function noting(outcome: SmtpOutcome): SmtpOutcome {
      isThrottled ||= isThrottle(outcome);
      return outcome;
    }

    /**
     * Waits for the greeting. If the host has too many of our sessions, waits until it has fewer and connects again.
     */
    async function listenForGreeting(deadline: Deadline): Promise<SmtpOutcome> {
      for (;;) {
        const outcome = await connection.listen(deadline);
        if (!isCrowded(outcome)) {
          return outcome;
        }
        connection.close();
        hasLeft = true;
        const others = await slot.leave('crowded');
        // A host that is busy without us gains nothing from our waiting.
        if (others === 0 || connections === connectionsMax || isOver(deadline)) {
          return outcome;
        }
        const again = await reopen(deadline);
        if (again.kind === 'failure') {
          return outcome;
        }
        ({ connection, slot } = again);
        hasLeft = false;
        connections += 1;
      }
    }

    return {
      // A connection that replaces the first takes the same route.
      localLiteral: connection.localLiteral,
      async listen(deadline) {
        if (isGreeted) {
          return noting(await connection.listen(deadline));
        }
        isGreeted = true;
        return noting(await listenForGreeting(deadline));
      },
      send(commands) {
        const obstacle = connection.send(commands);
        return obstacle && noting(obstacle);
      },
      startTls: (serverName, deadline) => connection.startTls(serverName, deadline),
      close() {
        connection.close();
        if (!hasLeft) {
          hasLeft = true;
          void slot.leave(isThrottled ? 'throttled' : 'fine');
        }
      },
    };
  }
}

/**
 * A greeting by which a host says that it has too many sessions (RFC 5321 section 3.8).
 * 421 4.7.0 mx.ordinary.example Error: too many connections from 192.0.2.1
 */
function isCrowded(greeting: SmtpOutcome): boolean {
  return greeting.kind === 'reply' && greeting.reply.code === 421;
}

/** Microsoft's codes for senders that it slows down. */
const throttleCodes = /^4\.7\.(?:28|5\d\d|6\d\d|8[5-9]\d)$/;

/**
 * 450 4.7.1 Error: too many connections from 192.0.2.1
 * 451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited.
 * 421 4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address.
 * 421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints
 * 421 4.7.0 Connection rate limit exceeded.
 * 450 4.7.1 You are connecting too often, slow down.
 */
const throttleText =
  /too many (?:concurrent |simultaneous )?(?:smtp )?(?:connections|sessions)|rate[- ]limit|unusual rate|unexpected volume|throttl|too (?:fast|often|frequently)|connection (?:rate|frequency)|slow(?:ing)? down/i;

/**
 * When these words concern the recipient, they refer to its own incoming mail:
 * 450 4.2.1 The user you are trying to contact is receiving mail at a rate …
 */
const aboutRecipient = /^[45]\.[12]\.|(?:user|recipient|mailbox)[^.]{0,60}(?:receiving|rate)/i;

/** True for a transient refusal by which a host says that we come too often; a permanent one is a block. */
export function isThrottle(outcome: SmtpOutcome): boolean {
  if (outcome.kind === 'failure' || outcome.reply.code < 400 || outcome.reply.code >= 500) {
    return false;
  }
  const { enhanced = '', lines } = outcome.reply;
  const text = lines.join(' ');
  return (
    throttleCodes.test(enhanced) ||
    (throttleText.test(text) && !aboutRecipient.test(`${enhanced} `) && !aboutRecipient.test(text))
  );
}

/**
 * True for a transient refusal of a recipient that names no other reason. It may come from a greylist, which is free to
 * word its reply as it likes (RFC 6647). Full mailboxes, blocks, limits and demands for TLS have their own findings,
 * and a host that hangs up or slows us down refers to the session.
 */
export function isPlainDeferral(finding: Finding, reply: Reply | undefined): boolean {
  return (
    finding === 'temporary' &&
    reply !== undefined &&
    reply.code !== 421 &&
    !isThrottle({ kind: 'reply', reply })
  );
}
