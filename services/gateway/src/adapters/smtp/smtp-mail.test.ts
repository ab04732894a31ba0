import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSelfSigned, readSubmittedMessages, startSubmissionHost } from '@mailproof/mail-lab';
import PostalMime from 'postal-mime';
import { MailFault } from '../../domain/mail-port.ts';
import { createSmtpMail } from './smtp-mail.ts';

const mail = {
  to: 'ada@ordinary.example',
  subject: 'Grüße',
  text: 'Hello.\n',
  html: '<p>Hello.</p>\n',
};
const from = 'Mailproof <no-reply@mailproof.example>';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailproof-smtp-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

/** A mail host that gives every recipient the same reply. */
async function hostThatAnswers(reply: string): Promise<{ url: string; server: Server }> {
  const server = createServer((socket: Socket) => {
    socket.write('220 refusing.example ESMTP\r\n');
    socket.on('error', () => undefined);
    socket.on('data', octets => {
      for (const line of octets.toString().split('\r\n').filter(Boolean)) {
        socket.write(/^RCPT/i.test(line) ? `${reply}\r\n` : '250 Ok\r\n');
      }
    });
  });
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `smtp://127.0.0.1:${port}`, server };
}

async function faultOf(url: string): Promise<MailFault> {
  const smtp = createSmtpMail({ url, from });
  try {
    const fault: unknown = await smtp.send(mail).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(MailFault);
    return fault as MailFault;
  } finally {
    smtp.close();
  }
}

describe('mail by SMTP', () => {
  it('arrives whole, marked as written by a program', async () => {
    const host = await startSubmissionHost({ directory });
    const smtp = createSmtpMail({ url: host.url, from });
    try {
      await smtp.send(mail);
    } finally {
      smtp.close();
      await host.close();
    }
    const [message] = await readSubmittedMessages(directory);
    const read = await PostalMime.parse(message?.text ?? '');
    expect(read).toMatchObject({
      subject: mail.subject,
      from: { address: 'no-reply@mailproof.example', name: 'Mailproof' },
      to: [{ address: mail.to }],
    });
    expect(read.text?.trim()).toBe(mail.text.trim());
    expect(read.html?.trim()).toBe(mail.html.trim());
    expect(read.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  });

  it('is not sent to a host without a trusted certificate', async () => {
    const identity = await createSelfSigned('localhost');
    const host = await startSubmissionHost({ directory, identity });
    try {
      expect((await faultOf(host.url)).isPermanent).toBe(false);
      expect(await readSubmittedMessages(directory)).toEqual([]);
    } finally {
      await host.close();
    }
  });

  it.each([
    ['550 5.1.1 <ada@ordinary.example>: no such user', true],
    ['451 4.7.1 <ada@ordinary.example>: try again later', false],
  ])('distinguishes permanent from temporary refusals, and names no one: %s', async (reply, isPermanent) => {
    const { url, server } = await hostThatAnswers(reply);
    try {
      const fault = await faultOf(url);
      expect(fault.isPermanent).toBe(isPermanent);
      expect(fault.message).toContain(reply.slice(0, 3));
      expect(`${fault.message} ${fault.stack}`).not.toContain('ordinary.example');
    } finally {
      await new Promise(resolve => server.close(resolve));
    }
  });

  it('can be tried again when the host is away', async () => {
    const { url, server } = await hostThatAnswers('250 Ok');
    await new Promise(resolve => server.close(resolve));
    expect((await faultOf(url)).isPermanent).toBe(false);
  });
});
