import type { Socket } from 'node:net';
import type { Deadline } from '../../domain/concurrency/deadline.ts';
import type { SmtpFailure, SmtpOutcome } from '../../domain/smtp/connection.ts';
import { type Reply, readReply } from '../../domain/smtp/reply.ts';

/** The receiving half of a connection, which returns one reply after the other. */
export interface LineChannel {
  next(deadline: Deadline): Promise<SmtpOutcome>;
  /**
   * Returns a reason not to send a command: unsolicited replies. If a host sends more replies than it got commands,
   * each later answer would count for the wrong recipient. A 421 is the exception: a host may announce at any time that
   * it is closing the connection (RFC 5321 section 3.8).
   */
  readUnasked(): SmtpOutcome | undefined;
  /** Stops reading the socket and discards unread replies. */
  release(): void;
}

/** Limit on unread replies. The largest flight of commands gets a few dozen; a host that sends more is flooding us. */
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
          // An incomplete reply does not wake the reader.
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

/** Parses replies from octets that arrive in arbitrary chunks (RFC 5321 section 4.2.1). */
interface ReplyParser {
  /** Takes octets and returns the replies that they complete. Returns nothing more after garbage. */
  feed(octets: Uint8Array): Reply[];
  /** True once something arrived that is not a reply, or is longer than a reply may be. */
  isGarbled(): boolean;
  /** True while a reply is incomplete. */
  isPartial(): boolean;
}

/** RFC 5321 section 4.5.3.1.5 allows 512 octets per line; real hosts exceed that, but not by much. */
const lineOctetsMax = 2_048;
const replyOctetsMax = 65_536;
const replyLinesMax = 100;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** A code, then a hyphen if more lines follow, a space, or nothing. */
const replyLine = /^([2-5]\d\d)(?:([ -])(.*))?$/su;
const controls = /\p{Cc}+/gu;

const latin = new TextDecoder('windows-1252');

export function createReplyParser(): ReplyParser {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  /** The start of a line whose end has not arrived; most lines arrive whole. */
  let held: Uint8Array | undefined;
  let heldLength = 0;
  let code: number | undefined;
  let texts: string[] = [];
  let replyOctets = 0;
  let garbled = false;

  /** Adds to the incomplete line. */
  function hold(part: Uint8Array): void {
    if (part.length > 0) {
      held ??= new Uint8Array(lineOctetsMax);
      held.set(part, heldLength);
      heldLength += part.length;
    }
  }

  function endLine(part: Uint8Array): Reply | undefined {
    let line = part;
    if (heldLength > 0) {
      hold(part);
      line = (held ?? part).subarray(0, heldLength);
      heldLength = 0;
    }
    replyOctets += 1;
    return takeLine(decode(line.at(-1) === carriageReturn ? line.subarray(0, -1) : line));
  }

  /** Replies are UTF-8 (RFC 6531 section 3.7.4), but old servers write Latin letters in one octet each. */
  function decode(line: Uint8Array): string {
    try {
      return decoder.decode(line);
    } catch {
      return latin.decode(line);
    }
  }

  function takeLine(text: string): Reply | undefined {
    const [, digits, mark, rest = ''] = replyLine.exec(text) ?? [];
    const isOtherCode = code !== undefined && code !== Number(digits);
    // All lines of a reply must have the same code (RFC 5321 section 4.2.1).
    if (
      digits === undefined ||
      (isOtherCode && !turnsAway(code, Number(digits))) ||
      texts.length === replyLinesMax
    ) {
      garbled = true;
      return undefined;
    }
    if (isOtherCode) {
      texts = [];
    }
    code = Number(digits);
    texts.push(rest.replace(controls, ' '));
    if (mark === '-') {
      return undefined;
    }
    const reply = readReply(code, texts);
    code = undefined;
    texts = [];
    replyOctets = 0;
    return reply;
  }

  return {
    feed(octets) {
      const replies: Reply[] = [];
      for (let from = 0; from < octets.length && !garbled; ) {
        const feedAt = octets.indexOf(lineFeed, from);
        const part = octets.subarray(from, feedAt < 0 ? octets.length : feedAt);
        replyOctets += part.length;
        garbled = heldLength + part.length > lineOctetsMax || replyOctets > replyOctetsMax;
        if (garbled) {
          break;
        }
        if (feedAt < 0) {
          hold(part);
          break;
        }
        const reply = endLine(part);
        if (reply !== undefined) {
          replies.push(reply);
        }
        from = feedAt + 1;
      }
      return replies;
    },
    isGarbled: () => garbled,
    isPartial: () => heldLength > 0 || texts.length > 0,
  };
}

/**
 * A host that sends a multi-line greeting to catch early talkers may reject a client in the middle, as postscreen does:
 * 220-mx.ordinary.example ESMTP
 * 550 5.7.1 Service unavailable; client [192.0.2.1] blocked using zen.spamhaus.org
 */
function turnsAway(startedWith: number | undefined, code: number): boolean {
  return startedWith === 220 && code >= 400;
}
