import type { Socket } from 'node:net';
import type { Deadline } from '../../domain/deadline.ts';
import type { SmtpFailure, SmtpOutcome } from '../../domain/smtp/connection.ts';
import type { Reply } from '../../domain/smtp/reply.ts';
import { createReplyParser } from './reply-parser.ts';

/** The receiving half of a connection: one reply after the other. */
export interface LineChannel {
  next(deadline: Deadline): Promise<SmtpOutcome>;
  /**
   * What stands in the way of sending a command: replies that nobody asked for. A host that says more than it was
   * asked would have each later answer taken for that of another recipient. A 421 is the exception: hosts announce
   * with it that they hang up, at any time (RFC 5321 section 3.8).
   */
  readUnasked(): SmtpOutcome | undefined;
  /** Stops reading the socket and forgets what has not been read. */
  release(): void;
}

/** Replies that wait to be read. The largest flight of commands gets a few dozen; a host that sends more floods us. */
const arrivedMax = 256;

const garbled: SmtpOutcome = { kind: 'failure', failure: 'garbled' };

export function createLineChannel(socket: Socket): LineChannel {
  const parser = createReplyParser();
  const arrived: Reply[] = [];
  let ended: SmtpFailure | undefined;
  let wake: (() => void) | undefined;

  const receive = (octets: Buffer) => {
    arrived.push(...parser.feed(octets));
    if (parser.isGarbled() || arrived.length > arrivedMax) {
      end('garbled');
      socket.destroy();
    }
    wake?.();
  };
  const end = (failure: SmtpFailure) => {
    ended ??= failure;
    wake?.();
  };
  const closed = () => end('closed');
  socket.on('data', receive).on('close', closed).on('end', closed);

  return {
    async next(deadline) {
      if (arrived.length === 0 && ended === undefined) {
        await new Promise<void>(resolve => {
          const settle = () => {
            clearTimeout(timer);
            deadline.signal.removeEventListener('abort', settle);
            wake = undefined;
            resolve();
          };
          const timer = setTimeout(settle, deadline.remainingMs());
          deadline.signal.addEventListener('abort', settle, { once: true });
          // Portions of a reply wake nobody.
          wake = () => (arrived.length > 0 || ended !== undefined ? settle() : undefined);
        });
      }
      const reply = arrived.shift();
      return reply !== undefined
        ? { kind: 'reply', reply }
        : { kind: 'failure', failure: ended ?? 'timeout' };
    },
    readUnasked() {
      const reply = arrived.shift();
      if (reply !== undefined) {
        return reply.code === 421 ? { kind: 'reply', reply } : garbled;
      }
      if (ended !== undefined) {
        return { kind: 'failure', failure: ended };
      }
      return parser.isPartial() ? garbled : undefined;
    },
    release() {
      socket.off('data', receive).off('close', closed).off('end', closed);
    },
  };
}
