import { type Deadline, isOver } from '../deadline.ts';
import type { SmtpConnection, SmtpConnector, SmtpOutcome } from '../smtp/connection.ts';
import type { HostGate, HostPlace } from './host-gate.ts';
import { isThrottle } from './throttle.ts';

/**
 * Connections in all for one session, where the host turned earlier ones away because of our others. Each refusal
 * lowers the cap by one at least, so that the usual caps have been learned by then.
 */
const connectionsMax = 6;

/** Opens a connection only with a place at the host, and keeps the place until the connection is closed. */
export function createGatedConnector(connector: SmtpConnector, gate: HostGate): SmtpConnector {
  // A wait for a place says nothing of the host, so that it is slow only once it is dialed.
  async function open(address: string, deadline: Deadline, onSlow?: () => void) {
    const place = await gate.enter(address, deadline);
    if (!place) {
      return { kind: 'failure', failure: 'crowded_out' } as const;
    }
    const opened = await connector.connect(address, deadline, onSlow);
    if (opened.kind === 'failure') {
      await place.leave('fine');
      return opened;
    }
    return { kind: 'connected', connection: opened.connection, place } as const;
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
    first: { connection: SmtpConnection; place: HostPlace },
    reopen: (deadline: Deadline) => ReturnType<typeof open>,
  ): SmtpConnection {
    let { connection, place } = first;
    let connections = 1;
    let isGreeted = false;
    let hasLeft = false;
    let isThrottled = false;

    function noting(outcome: SmtpOutcome): SmtpOutcome {
      isThrottled ||= isThrottle(outcome);
      return outcome;
    }

    /** Where the host has too many of our sessions, waits until it has fewer and greets again. */
    async function listenForGreeting(deadline: Deadline): Promise<SmtpOutcome> {
      for (;;) {
        const outcome = await connection.listen(deadline);
        if (!isCrowded(outcome)) {
          return outcome;
        }
        connection.close();
        hasLeft = true;
        const others = await place.leave('crowded');
        // A host that is busy without us will not get better by our waiting.
        if (others === 0 || connections === connectionsMax || isOver(deadline)) {
          return outcome;
        }
        const again = await reopen(deadline);
        if (again.kind === 'failure') {
          return outcome;
        }
        ({ connection, place } = again);
        hasLeft = false;
        connections += 1;
      }
    }

    return {
      // One that takes the place of the first goes the same way.
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
          void place.leave(isThrottled ? 'throttled' : 'fine');
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
