import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** A plain dialogue with a server, to check that it behaves as configured. */
export interface SmtpDialogue {
  /** Sends a line, if given, and returns the last line of the reply; empty once the server has disconnected. */
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
        // A server that hangs up during a write has disconnected.
        const { value, done } = await lines.next().catch(() => ({ value: '', done: true }));
        if (done) return '';
        if (/^\d{3} /.test(value)) return value;
      }
    },
    close: () => void socket.destroy(),
  };
}

/** Sends all lines in one session and returns the reply to each, starting with the greeting. */
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

/** Returns the greeting of a second session while a first one is open. */
export async function secondGreeting(address: string, port: number): Promise<string> {
  const first = await openDialogue(address, port);
  try {
    await first.say();
    return (await repliesTo(address, port, []))[0] ?? '';
  } finally {
    first.close();
  }
}
