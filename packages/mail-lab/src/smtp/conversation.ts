import type { Reply, Stage } from '../script.ts';
import { type Command, isAscii, readCommand, readPath, splitAddress } from './commands.ts';
import { replyToRecipient } from './recipients.ts';
import { codeOf, multiline, type ReplyFacts, render, type SmtpHost } from './replies.ts';

/** The server's reaction to a command: it replies, and may then close the connection or fall silent. */
export type Turn = {
  readonly say: string;
  readonly next?: 'close' | 'drop' | 'fall_silent' | 'start_tls';
};

/** Commands that must be the last of a group, because their reply decides what comes next (RFC 2920 section 3.1). */
const endsGroup = new Set(['EHLO', 'HELO', 'STARTTLS', 'DATA', 'VRFY', 'EXPN', 'NOOP', 'QUIT']);

const commandOctetsMax = 512;
const violationsKeptMax = 100;

/** An SMTP session that follows a script: text in, text out, without sockets or clocks. */
export class Conversation {
  readonly #host: SmtpHost;
  readonly #client: string;
  #hello: 'none' | 'helo' | 'ehlo' = 'none';
  #secure = false;
  #spokeEarly = false;
  #sender: string | undefined;
  #utf8 = false;
  #recipients = 0;
  #recipientsOfSession = 0;
  #transactions = 0;
  #firstDomain: string | undefined;
  #refusals = 0;

  constructor(host: SmtpHost, clientAddress: string) {
    this.#host = host;
    this.#client = clientAddress;
  }

  greet(): Turn {
    const { script, counts } = this.#host;
    const misbehavior = this.#misbehaviorAt('connect');
    if (misbehavior !== undefined) return misbehavior;
    if (script.concurrentSessionsMax !== undefined && counts.sessionsOpen > script.concurrentSessionsMax) {
      return this.#closing('421 4.7.0 {host} Error: too many concurrent sessions');
    }
    const say = this.#render(script.banner ?? '220 {host} ESMTP');
    // After 421 the server closes; after 554 it waits for QUIT (RFC 5321 section 3.1).
    return codeOf(say) === 421 ? { say, next: 'close' } : { say };
  }

  /** Records that the client sent data before the banner. */
  noteEarlyTalk(): void {
    if (this.#spokeEarly) return;
    this.#spokeEarly = true;
    this.violation('The client spoke before the banner.');
  }

  /** Records that the TLS handshake is complete: the session's earlier state is discarded (RFC 3207 section 4.2). */
  noteSecured(): void {
    this.#secure = true;
    this.#hello = 'none';
    this.#endTransaction();
  }

  /** @param moreFollows whether the client has already sent another command after this one */
  answer(line: string, moreFollows: boolean): Turn {
    const { script, counts } = this.#host;
    const command = readCommand(line);
    counts.commands[command.verb] = (counts.commands[command.verb] ?? 0) + 1;
    this.#judge(line, command, moreFollows);
    if (script.errorLimit !== undefined && this.#refusals >= script.errorLimit && command.verb !== 'QUIT') {
      return this.#closing('421 4.7.0 {host} Error: too many errors');
    }
    const turn = this.#turn(command);
    if (codeOf(turn.say) >= 400) this.#refusals += 1;
    return codeOf(turn.say) === 421 ? { ...turn, next: 'close' } : turn;
  }

  violation(what: string): void {
    const { violations } = this.#host.counts;
    if (violations.length < violationsKeptMax) violations.push(what);
  }

  #turn(command: Command): Turn {
    const { script } = this.#host;
    switch (command.verb) {
      case 'EHLO':
        return this.#misbehaviorAt('ehlo') ?? { say: this.#ehlo(command.argument) };
      case 'HELO':
        return this.#misbehaviorAt('ehlo') ?? { say: this.#helo(command.argument) };
      case 'STARTTLS':
        return this.#startTls();
      case 'MAIL':
        return this.#misbehaviorAt('mail') ?? { say: this.#mail(command.argument) };
      case 'RCPT':
        return this.#misbehaviorAt('rcpt') ?? { say: this.#rcpt(command.argument) };
      case 'DATA':
      case 'BDAT':
        return {
          say: this.#render('554 5.5.1 Error: this lab takes no messages; a validator never sends one'),
        };
      case 'RSET':
        this.#endTransaction();
        return { say: this.#render(script.rset ?? '250 2.0.0 Ok') };
      case 'NOOP':
        return { say: this.#render('250 2.0.0 Ok') };
      case 'VRFY':
        return { say: this.#render(script.vrfy ?? '502 5.5.1 VRFY command is disabled', command.argument) };
      case 'QUIT':
        return { say: this.#render(script.quit ?? '221 2.0.0 Bye'), next: 'close' };
      default:
        return { say: this.#render('502 5.5.2 Error: command not recognized') };
    }
  }

  #ehlo(argument: string): string {
    const { script } = this.#host;
    if (argument === '') return this.#render('501 5.5.4 Syntax: EHLO hostname');
    if (script.ehlo !== undefined) return this.#render(script.ehlo);
    this.#hello = 'ehlo';
    this.#endTransaction();
    return this.#render(multiline(250, ['{host}', ...this.#offered()]));
  }

  #helo(argument: string): string {
    if (argument === '') return this.#render('501 5.5.4 Syntax: HELO hostname');
    const say = this.#render(this.#host.script.helo ?? '250 {host}');
    if (codeOf(say) < 400) this.#hello = 'helo';
    this.#endTransaction();
    return say;
  }

  #startTls(): Turn {
    if (!this.#offers('STARTTLS')) return { say: this.#render('502 5.5.1 Error: command not implemented') };
    const { starttls } = this.#host.script;
    if (starttls !== undefined) return { say: this.#render(starttls) };
    return { say: this.#render('220 2.0.0 Ready to start TLS'), next: 'start_tls' };
  }

  #mail(argument: string): string {
    const { script } = this.#host;
    if (this.#hello === 'none') return this.#render('503 5.5.1 Error: send HELO/EHLO first');
    if (script.requireTls === true && !this.#secure) {
      return this.#render('530 5.7.0 Must issue a STARTTLS command first');
    }
    if (this.#sender !== undefined) return this.#render('503 5.5.1 Error: nested MAIL command');
    const path = readPath(argument, 'FROM');
    if (path === undefined) return this.#render('501 5.5.4 Syntax: MAIL FROM:<address>');
    const names = path.parameters.map(parameter => parameter.split('=')[0]?.toUpperCase() ?? '');
    const unsupported = names.find(name => !this.#offers(name === 'BODY' ? '8BITMIME' : name));
    if (unsupported !== undefined) return this.#render(`555 5.5.4 Unsupported option: ${unsupported}`);
    const say = this.#render(script.mail ?? '250 2.1.0 Ok', path.address);
    if (codeOf(say) < 400) {
      this.#sender = path.address;
      this.#transactions += 1;
      this.#utf8 = names.includes('SMTPUTF8');
    }
    return say;
  }

  #rcpt(argument: string): string {
    const { script, counts, domains, onUnscripted, name } = this.#host;
    if (this.#sender === undefined) return this.#render('503 5.5.1 Error: need MAIL command');
    const path = readPath(argument, 'TO');
    if (path === undefined) return this.#render('501 5.1.3 Bad recipient address syntax');
    const recipient = path.address;
    counts.recipientsAsked += 1;
    this.#host.asked += 1;
    this.#recipients += 1;
    this.#recipientsOfSession += 1;
    if (this.#recipients > (script.recipientsPerTransactionMax ?? Number.POSITIVE_INFINITY)) {
      return this.#render('452 4.5.3 Error: too many recipients', recipient);
    }
    if (this.#recipientsOfSession > (script.recipientsPerSessionMax ?? Number.POSITIVE_INFINITY)) {
      return this.#render('452 4.5.3 Error: too many recipients', recipient);
    }
    if (!isAscii(recipient) && !this.#utf8) {
      return this.#render('553 5.6.7 Must declare SMTPUTF8 to send a non-ASCII address', recipient);
    }
    const { localPart, domain } = splitAddress(recipient);
    if (!domains.has(domain)) {
      onUnscripted(`RCPT for a foreign domain at ${name}: ${recipient}`);
      return this.#render('554 5.7.1 <{recipient}>: Relay access denied', recipient);
    }
    if (this.#spokeEarly && script.earlyTalkerPunished === true) {
      return this.#render('550 5.5.1 Protocol error', recipient);
    }
    if (this.#isGreylisted(recipient)) {
      return this.#render(
        script.greylistReply ?? '451 4.7.1 <{recipient}>: Recipient address rejected: Greylisted',
        recipient,
      );
    }
    this.#firstDomain ??= domain;
    const course = {
      recipientsOfTransaction: this.#recipients,
      recipientsOfSession: this.#recipientsOfSession,
      transactions: this.#transactions,
      refusals: this.#refusals,
      firstDomain: this.#firstDomain,
    };
    return this.#render(replyToRecipient(this.#host, course, localPart, domain), recipient);
  }

  #isGreylisted(recipient: string): boolean {
    const { script, greylist, now } = this.#host;
    if (script.greylistMs === undefined) return false;
    const tuple = JSON.stringify([this.#client, this.#sender, recipient.toLowerCase()]);
    // The clock is read once for both: between two readings on a busy machine, the shortest greylist could expire.
    const nowMs = now();
    const firstSeen = greylist.get(tuple) ?? nowMs;
    greylist.set(tuple, firstSeen);
    return nowMs - firstSeen < script.greylistMs;
  }

  #misbehaviorAt(stage: Stage): Turn | undefined {
    if (this.#host.script.dropAfter === stage) return { say: '', next: 'drop' };
    if (this.#host.script.silentAfter === stage) return { say: '', next: 'fall_silent' };
    return undefined;
  }

  #judge(line: string, { verb, argument }: Command, moreFollows: boolean): void {
    if (verb === 'DATA' || verb === 'BDAT') this.violation(`The client sent ${verb}.`);
    if (verb === 'UNKNOWN') this.violation('The client sent a command that SMTP does not have.');
    if (Buffer.byteLength(line) + 2 > commandOctetsMax) {
      this.violation('The client sent a command line of more than 512 octets.');
    }
    if (moreFollows && (endsGroup.has(verb) || !this.#offers('PIPELINING'))) {
      this.violation(`The client sent more after ${verb} without waiting for its reply.`);
    }
    const utf8Asked = /\bSMTPUTF8\b/i.test(argument) && verb === 'MAIL';
    if ((utf8Asked || !isAscii(argument)) && !this.#offers('SMTPUTF8')) {
      this.violation(`The client used SMTPUTF8 in ${verb} where it was not offered.`);
    }
  }

  #offers(capability: string): boolean {
    return this.#hello === 'ehlo' && this.#offered().some(offer => offer.split(' ')[0] === capability);
  }

  /** STARTTLS must not be offered again inside TLS (RFC 3207 section 4.2). */
  #offered(): readonly string[] {
    const capabilities = this.#host.script.capabilities ?? [];
    return this.#secure ? capabilities.filter(capability => capability !== 'STARTTLS') : capabilities;
  }

  #endTransaction(): void {
    this.#sender = undefined;
    this.#utf8 = false;
    this.#recipients = 0;
  }

  #closing(reply: Reply): Turn {
    return { say: this.#render(reply), next: 'close' };
  }

  #render(reply: Reply, address = ''): string {
    const { localPart, domain } = splitAddress(address);
    const facts: ReplyFacts = {
      recipient: address,
      sender: this.#sender ?? address,
      localPart,
      domain,
      host: this.#host.name,
      client: this.#client,
    };
    return render(reply, facts);
  }
}
