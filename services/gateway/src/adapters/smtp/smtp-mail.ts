import type { Transporter } from 'nodemailer';
import { MailFault, type MailPort } from '../../domain/mail-port.ts';

export interface SmtpMailOptions {
  /** `smtps://` uses TLS from the first octet, `smtp://` after STARTTLS, which only a host on loopback may lack. */
  readonly url: string;
  /** The sender, in the format of a `From` header. */
  readonly from: string;
}

const connectTimeoutMs = 10_000;
const silenceTimeoutMs = 30_000;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Sends mail over SMTP and verifies the host's certificate. */
export function createSmtpMail({ url, from }: SmtpMailOptions): MailPort & { close(): void } {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !isSecure && !loopback.test(hostname),
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' as const },
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    dnsTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    // Builds a mail only from the given text, never from files or URLs that it names.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  let transport: Transporter | undefined;
  return {
    async send(mail) {
      try {
        // Loaded with the first mail: it is a tenth of all the code that the gateway loads, and many processes send
        // none.
        const { createTransport } = await import('nodemailer');
        transport ??= createTransport(options);
        await transport.sendMail({
          ...mail,
          // As an object, so that an address is never parsed as a list of addresses.
          to: { name: '', address: mail.to },
          from,
          headers: { ...mail.headers, 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw faultOf(error);
      }
    },
    close: () => transport?.close(),
  };
}

/** Describes the fault by codes only: a mail host's reply usually repeats the address. */
function faultOf(error: unknown): MailFault {
  const { code, responseCode, command } = Object(error) as {
    code?: unknown;
    responseCode?: unknown;
    command?: unknown;
  };
  const facts = [code, command, responseCode].filter(fact => fact !== undefined).map(String);
  // Only errors about the recipient or the message concern this mail; a refused sign-in is for the operator to fix.
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isPermanent = isAboutMail && typeof responseCode === 'number' && responseCode >= 500;
  return new MailFault(`The mail was rejected (${facts.join(' ')}).`, isPermanent);
}
