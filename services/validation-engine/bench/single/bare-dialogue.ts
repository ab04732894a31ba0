import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';

/** The address of a mail host, and the recipients to ask about. */
export interface BareQuestion {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  readonly address: string;
  readonly madeUp: readonly string[];
}

const anyTls = createSecureContext();

/**
 * Holds only the dialogue in which the engine learns that one address exists: the same commands in the same flights,
 * over TLS, with plain sockets. The last reply is that to the second RSET; QUIT is sent without waiting for a reply, as
 * the engine's session outlives its answer.
 *
 * @returns the codes of the replies to RCPT
 */
export async function holdBareDialogue(question: BareQuestion): Promise<number[]> {
  const { host, port, serverName, address, madeUp } = question;
  const plain = connect({ host, port, noDelay: true });
  const opening = repliesOf(plain);
  await opening.next();
  await opening.say(['EHLO bench.checker.example']);
  await opening.say(['STARTTLS']);
  opening.stop();
  const secure = connectTls({
    socket: plain,
    servername: serverName,
    rejectUnauthorized: false,
    secureContext: anyTls,
  });
  await once(secure, 'secureConnect');
  const session = repliesOf(secure);
  await session.say(['EHLO bench.checker.example']);
  const real = await session.say(['MAIL FROM:<>', `RCPT TO:<${address}>`, 'RSET']);
  const others = await session.say(['MAIL FROM:<>', ...madeUp.map(name => `RCPT TO:<${name}>`), 'RSET']);
  secure.end('QUIT\r\n');
  return [...real.slice(1, -1), ...others.slice(1, -1)];
}

/** Sends commands together and reads the code of each reply. */
function repliesOf(socket: Socket | TLSSocket) {
  const lines = createInterface({ input: socket });
  const unread = lines[Symbol.asyncIterator]();
  async function next(): Promise<number> {
    for (;;) {
      const { value, done } = await unread.next();
      if (done === true) {
        throw new Error('The lab hung up.');
      }
      if (/^\d{3}(?: |$)/.test(value)) {
        return Number(value.slice(0, 3));
      }
    }
  }
  return {
    next,
    async say(commands: readonly string[]): Promise<number[]> {
      socket.write(commands.map(command => `${command}\r\n`).join(''));
      const codes: number[] = [];
      for (const _command of commands) {
        codes.push(await next());
      }
      return codes;
    },
    stop() {
      lines.close();
      // Closing the reader pauses the socket under it.
      socket.resume();
    },
  };
}
