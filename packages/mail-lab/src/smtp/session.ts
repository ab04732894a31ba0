import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { BrokenPipelining } from '../script.ts';
import { Conversation, type Turn } from './conversation.ts';
import type { SmtpHost } from './replies.ts';

export type SessionOptions = {
  readonly host: SmtpHost;
  readonly secureContext: SecureContext;
  /** Read for every flight, so that the latency can change while sessions run. */
  readonly roundTripMs: () => number;
  /**
   * Called when the server has closed: its reply to QUIT ends the session, even if the client closes its half later.
   */
  readonly onHungUp: () => void;
  readonly onEnd: () => void;
};

/** A server may give up on a quiet client after five minutes (RFC 5321 section 4.5.3.2.7). */
const idleMs = 300_000;
/** How long a closing connection waits for the client's half, so that a last reply is not lost to a reset. */
const lingerMs = 1_000;
const endlessBannerTickMs = 10;
const lineOctetsMax = 4_096;

/** Runs a conversation over a socket, with flights, latency, TLS, and every kind of misbehavior. */
export class SmtpSession {
  readonly #options: SessionOptions;
  readonly #conversation: Conversation;
  #socket: Socket;
  #unread = '';
  /** Flights are processed strictly one after the other. */
  #work: Promise<void>;
  #state: 'before_banner' | 'talking' | 'deaf' | 'ended' = 'before_banner';
  #serverSpoke = false;
  #hasHungUp = false;
  #wake: (() => void) | undefined;
  #linger: NodeJS.Timeout | undefined;

  constructor(socket: Socket, options: SessionOptions) {
    this.#options = options;
    this.#socket = socket;
    this.#conversation = new Conversation(options.host, socket.remoteAddress ?? 'unknown');
    this.#adopt(socket);
    this.#work = this.#greet();
  }

  /** Ends the session at once, in any state. */
  destroy(): void {
    this.#socket.destroy();
    this.#end();
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setTimeout(idleMs, () => socket.destroy());
    // A client may leave with a reset or a broken handshake; 'close' follows.
    socket.on('error', () => socket.destroy());
    socket.on('data', octets => this.#receive(octets));
    socket.once('close', () => this.#end());
  }

  async #greet(): Promise<void> {
    const { host, roundTripMs } = this.#options;
    const { script } = host;
    host.counts.roundTrips += 1;
    // A client sees its connection after one round trip and the banner after another. The first takes no time on
    // loopback, so the banner is delayed by both.
    await this.#pause(2 * roundTripMs() + (script.bannerDelayMs ?? 0));
    if (this.#state !== 'before_banner') return;
    this.#state = 'talking';
    if (script.garbage === true) this.#write(garbage);
    else if (script.endlessBanner === true) void this.#talkForever();
    else this.#perform(this.#conversation.greet());
    if (this.#serverSpoke) host.counts.roundTrips += 1;
  }

  #receive(octets: Buffer): void {
    const { counts } = this.#options.host;
    if (this.#state === 'before_banner') this.#conversation.noteEarlyTalk();
    if (this.#state === 'deaf' || this.#state === 'ended') return;
    if (this.#serverSpoke) counts.roundTrips += 1;
    this.#serverSpoke = false;
    const arrivedMs = performance.now();
    const carrier = this.#socket;
    this.#work = this.#work.then(() => this.#playFlight(octets.toString('latin1'), arrivedMs, carrier));
  }

  /** Replies to all commands of a flight, with the latency of one round trip. */
  async #playFlight(text: string, arrivedMs: number, carrier: Socket): Promise<void> {
    const { host, roundTripMs } = this.#options;
    if (roundTripMs() > 0) await this.#pause(arrivedMs + roundTripMs() - performance.now());
    if (carrier !== this.#socket) {
      this.#conversation.violation('The client sent commands in the clear after STARTTLS.');
      return;
    }
    // Octets are not decoded until a line is complete, because a character may be split between packets.
    this.#unread += text;
    const { brokenPipelining } = host.script;
    const broken = this.#unread.indexOf('\n') < this.#unread.lastIndexOf('\n') ? brokenPipelining : undefined;
    if (broken === 'silent') this.#state = 'deaf';
    if (broken === 'drops') return this.#perform({ say: '', next: 'drop' });
    if (broken === 'refuses') return this.#perform({ say: improperPipelining, next: 'close' });
    let said = '';
    for (let number = 1; ; number += 1) {
      if (this.#state !== 'talking') return;
      const end = this.#unread.indexOf('\n');
      if (end === -1) break;
      const line = Buffer.from(this.#unread.slice(0, end), 'latin1').toString('utf8');
      this.#unread = this.#unread.slice(end + 1);
      if (!line.endsWith('\r')) this.#conversation.violation('The client ended a line without CR.');
      const turn = this.#conversation.answer(line.replace(/\r$/, ''), this.#unread !== '');
      if (broken !== undefined) {
        said = brokenly(broken, said, turn.say, number, line);
      } else if (host.script.replyDelayMs !== undefined) {
        await this.#pause(host.script.replyDelayMs);
        this.#write(turn.say);
      } else {
        said += turn.say;
      }
      if (turn.next === 'start_tls') {
        this.#write(said);
        return this.#secure();
      }
      if (turn.next !== undefined) return this.#perform({ say: said, next: turn.next });
    }
    this.#write(said);
    if (this.#unread.length > lineOctetsMax) {
      this.#conversation.violation('The client sent a line without end.');
      this.#perform({ say: '500 5.5.2 Error: line too long\r\n', next: 'close' });
    }
  }

  #perform({ say, next }: Turn): void {
    this.#write(say);
    if (next === 'drop' || next === 'close') this.#hangUp();
    if (next === 'fall_silent') this.#state = 'deaf';
    if (next === 'drop') {
      this.#state = 'deaf';
      this.#socket.destroySoon();
    }
    if (next === 'close') {
      this.#state = 'deaf';
      this.#socket.end();
      this.#linger = setTimeout(() => this.#socket.destroy(), lingerMs);
    }
  }

  /** Starts TLS on the same connection: after the 220, the next octets belong to TLS (RFC 3207). */
  async #secure(): Promise<void> {
    const { host, secureContext, roundTripMs } = this.#options;
    const plain = this.#socket;
    if (this.#unread !== '')
      this.#conversation.violation('The client sent commands in the clear after STARTTLS.');
    this.#unread = '';
    plain.removeAllListeners('data');
    plain.pause();
    plain.setTimeout(0);
    host.counts.roundTrips += 1;
    this.#serverSpoke = false;
    await this.#pause(roundTripMs());
    if (this.#state !== 'talking') return;
    const secured = new TLSSocket(plain, { isServer: true, secureContext });
    secured.once('secure', () => {
      this.#conversation.noteSecured();
      this.#serverSpoke = true;
    });
    this.#adopt(secured);
  }

  async #talkForever(): Promise<void> {
    while (this.#state === 'talking') {
      // The buffer is limited, so that a client that does not read takes no more memory.
      if (this.#socket.writableLength < 65_536) this.#write('220-This banner goes on and on.\r\n'.repeat(8));
      await this.#pause(endlessBannerTickMs);
    }
  }

  #write(text: string | Buffer): void {
    if (text.length === 0 || this.#state === 'ended' || !this.#socket.writable) return;
    this.#socket.write(
      typeof text === 'string' && this.#options.host.script.isLatin === true
        ? Buffer.from(text, 'latin1')
        : text,
    );
    this.#serverSpoke = true;
  }

  /** Waits until the delay is over or the session ends. */
  #pause(delayMs: number): Promise<void> {
    if (delayMs <= 0 || this.#state === 'ended') return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(resolve, delayMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #hangUp(): void {
    if (this.#hasHungUp) return;
    this.#hasHungUp = true;
    this.#options.onHungUp();
  }

  #end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#hangUp();
    this.#wake?.();
    clearTimeout(this.#linger);
    this.#options.onEnd();
  }
}

/** Adds the reply to another line of a group to what a host with broken PIPELINING has replied so far. */
function brokenly(how: BrokenPipelining, said: string, say: string, number: number, line: string): string {
  if (how === 'reversed') return say + said;
  const isLost = how === 'first_only' ? number > 1 : /^RCPT/i.test(line);
  return isLost ? said : said + say;
}

const improperPipelining = '421 4.7.0 Protocol error: improper command pipelining\r\n';

const garbage = Buffer.from(
  '\u0000\u0007\u001b[2JHTTP/0.9 teapot\r\n<<< no SMTP here >>>\r\n\u00ff\u00fe\r\n',
  'latin1',
);
