import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Identity } from '../web/certificates.ts';

interface SubmissionHostOptions {
  /** The directory in which messages are stored, each as an `.eml` file and a text file. */
  readonly directory: string;
  /** The port; any free port if omitted. */
  readonly port?: number;
  /** The identity for implicit TLS; without it, the host does not use TLS. */
  readonly identity?: Identity;
}

/** A received message. */
interface SubmittedMessage {
  readonly file: string;
  /** The whole message (RFC 5322). */
  readonly text: string;
}

export interface SubmissionHost {
  /** `smtp://host:port`, or `smtps://` with TLS. */
  readonly url: string;
  close(): Promise<void>;
}

const messageOctetsMax = 1_000_000;

/**
 * Starts a host on loopback that accepts every message from our services and relays none. The mail hosts of the lab
 * accept no messages, because a validator never sends one.
 */
export async function startSubmissionHost(options: SubmissionHostOptions): Promise<SubmissionHost> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const server = new SMTPServer({
    ...tlsOf(options),
    authOptional: true,
    size: messageOctetsMax,
    onData(stream, _session, done) {
      text(stream)
        .then(message => keep(options.directory, message))
        .then(() => done(), done);
    },
  });
  // Errors of clients that disconnect are ignored.
  server.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `${options.identity ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    close: () => new Promise(resolve => server.close(() => resolve())),
  };
}

function tlsOf({ identity }: SubmissionHostOptions): SMTPServerOptions {
  return identity
    ? { secure: true, key: identity.keyPem, cert: identity.certificatePem }
    : { disabledCommands: ['STARTTLS', 'AUTH'] };
}

/**
 * Stores a message under a name that sorts by time. The message appears atomically, after a text file that people can
 * copy from.
 */
async function keep(directory: string, message: string): Promise<void> {
  const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomBytes(3).toString('hex')}`;
  const unfinished = join(directory, `.${name}`);
  const { to, subject, text: body } = await PostalMime.parse(message);
  const recipients = (to ?? []).map(({ address }) => address).join(', ');
  const readable = `To: ${recipients}\nSubject: ${subject}\n\n${body}`;
  await writeFile(join(directory, `${name}.txt`), readable, { mode: 0o600 });
  await writeFile(unfinished, message, { mode: 0o600 });
  await rename(unfinished, join(directory, `${name}.eml`));
}

/** The messages of a directory, oldest first. */
export async function readSubmittedMessages(directory: string): Promise<SubmittedMessage[]> {
  const files = (await readdir(directory)).filter(name => name.endsWith('.eml')).sort();
  return Promise.all(
    files.map(async name => {
      const file = join(directory, name);
      return { file, text: await readFile(file, 'utf8') };
    }),
  );
}
