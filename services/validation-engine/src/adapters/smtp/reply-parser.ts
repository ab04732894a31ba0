import { type Reply, readReply } from '../../domain/smtp/reply.ts';

/** Reads replies out of octets that arrive in any portions (RFC 5321 section 4.2.1). */
export interface ReplyParser {
  /** Takes octets in and gives out the replies that they complete. After garbage nothing more comes out. */
  feed(octets: Uint8Array): Reply[];
  /** True once something came that is no reply, or a longer one than any reply may be. */
  isGarbled(): boolean;
  /** True while a reply has begun and not ended. */
  isPartial(): boolean;
}

/** RFC 5321 section 4.5.3.1.5 allows 512 octets a line; real hosts exceed it, but not by much. */
const lineOctetsMax = 2_048;
const replyOctetsMax = 65_536;
const replyLinesMax = 100;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** Code, then a hyphen where more lines follow, or a space, or nothing at all. */
const replyLine = /^([2-5]\d\d)(?:([ -])(.*))?$/su;
const controls = /\p{Cc}+/gu;

export function createReplyParser(): ReplyParser {
  const decoder = new TextDecoder();
  let line: number[] = [];
  let code: number | undefined;
  let texts: string[] = [];
  let replyOctets = 0;
  let garbled = false;

  function takeOctet(octet: number): Reply | undefined {
    replyOctets += 1;
    if (octet === lineFeed) {
      const text = decoder.decode(Uint8Array.from(line.at(-1) === carriageReturn ? line.slice(0, -1) : line));
      line = [];
      return takeLine(text);
    }
    line.push(octet);
    garbled = line.length > lineOctetsMax || replyOctets > replyOctetsMax;
    return undefined;
  }

  function takeLine(text: string): Reply | undefined {
    const [, digits, mark, rest = ''] = replyLine.exec(text) ?? [];
    const isOtherCode = code !== undefined && code !== Number(digits);
    // All lines of a reply must bear the same code (RFC 5321 section 4.2.1).
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
      for (const octet of octets) {
        if (garbled) {
          break;
        }
        const reply = takeOctet(octet);
        if (reply !== undefined) {
          replies.push(reply);
        }
      }
      return replies;
    },
    isGarbled: () => garbled,
    isPartial: () => line.length > 0 || texts.length > 0,
  };
}

/**
 * A host that greets in lines to catch early talkers may turn a stranger away in the middle, as postscreen does:
 * 220-mx.ordinary.example ESMTP
 * 550 5.7.1 Service unavailable; client [192.0.2.1] blocked using zen.spamhaus.org
 */
function turnsAway(begunWith: number | undefined, code: number): boolean {
  return begunWith === 220 && code >= 400;
}
