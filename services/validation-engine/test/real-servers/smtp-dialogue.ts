import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** A plain talk with a server, to see that it does what its configuration says. */
export interface SmtpDialogue {
  /** Sends a line, unless it is left out, and answers the last line of the reply; empty once the server has gone. */
  say(line?: string): Promise<string>;
  close(): void;
}

const replyTimeoutMs = 20_000;

export async function openDialogue(address: string, port: number): Promise<SmtpDialogue> {
  const socket = connect(port, address);
  socket.setTimeout(replyTimeoutMs, () => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    async say(line) {
      if (line !== undefined) socket.write(`${line}\r\n`);
      for (;;) {
        // A server that hangs up while we write is a server that has gone.
        const { value, done } = await lines.next().catch(() => ({ value: '', done: true }));
        if (done) return '';
        if (/^\d{3} /.test(value)) return value;
      }
    },
    close: () => void socket.destroy(),
  };
}

/** Says all the lines in one session and answers what came to each, the greeting first. */
export async function repliesTo(address: string, port: number, lines: readonly string[]): Promise<string[]> {
  const dialogue = await openDialogue(address, port);
  try {
    const replies = [await dialogue.say()];
    for (const line of lines) {
      if (replies.at(-1) !== '') replies.push(await dialogue.say(line));
    }
    return replies;
  } finally {
    dialogue.close();
  }
}

/** The greeting of a second session while a first one is open. */
export async function secondGreeting(address: string, port: number): Promise<string> {
  const first = await openDialogue(address, port);
  try {
    await first.say();
    return (await repliesTo(address, port, []))[0] ?? '';
  } finally {
    first.close();
  }
}
