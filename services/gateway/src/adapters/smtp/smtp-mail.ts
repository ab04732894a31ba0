import { createTransport } from 'nodemailer';
import { MailFault, type MailPort } from '../../domain/mail-port.ts';

export interface SmtpMailOptions {
  /** `smtps://` speaks TLS from the first octet on, `smtp://` after STARTTLS, which only a host on loopback may lack. */
  readonly url: string;
  /** The sender, as a `From` header has it. */
  readonly from: string;
}

const connectTimeoutMs = 10_000;
const silenceTimeoutMs = 30_000;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Hands mails over by SMTP, to a host whose certificate is checked. */
export function createSmtpMail({ url, from }: SmtpMailOptions): MailPort & { close(): void } {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !isSecure && !loopback.test(hostname),
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    dnsTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    // A mail is made of the text that it is given, never of files or addresses named in it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      try {
        await transport.sendMail({
          ...mail,
          // As an object, so that nothing in an address is read as a list of them.
          to: { name: '', address: mail.to },
          from,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw faultOf(error);
      }
    },
    close: () => transport.close(),
  };
}

/** Says what happened by codes alone: what a mail host answers mostly repeats the address. */
function faultOf(error: unknown): MailFault {
  const { code, responseCode, command } = Object(error) as {
    code?: unknown;
    responseCode?: unknown;
    command?: unknown;
  };
  const facts = [code, command, responseCode].filter(fact => fact !== undefined).map(String);
  // Only what is said of the recipient or the message is about this mail; a refused sign-in is for the operator to mend.
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isPermanent = isAboutMail && typeof responseCode === 'number' && responseCode >= 500;
  return new MailFault(`The mail was not taken (${facts.join(' ')}).`, isPermanent);
}
