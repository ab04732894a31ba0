import { atRcpt, type RealLine } from './real-line.ts';

/** The default reply of each greylist. */
export const greylistLines: readonly RealLine[] = [
  ...atRcpt('greylistd of Debian, ACLs for Exim', undefined, {
    greylisted: [
      '451 192.0.2.1 is not yet authorized to deliver mail from <probe@checker.example> to <ada@ordinary.example>. Please try later.',
      '451 192.0.2.1 is not yet authorized to deliver mail from <> to <ada@ordinary.example>. Please try later.',
    ],
  }),
  ...atRcpt('iRedMail, docs: errors in the log of Postfix', undefined, {
    greylisted: [
      '451 4.7.1 <ada@ordinary.example>: Recipient address rejected: Intentional policy rejection, please try again later',
    ],
  }),
  ...atRcpt('gld, gld.conf, as Postfix passes it on', undefined, {
    greylisted: [
      '450 4.7.1 <ada@ordinary.example>: Recipient address rejected: Service temporarily unavailable, please try later',
    ],
  }),
  ...atRcpt('ASSP, DelayError; Sendmail says it for a milter that defers', undefined, {
    greylisted: ['451 4.7.1 Please try again later'],
  }),
  ...atRcpt('Rspamd, greylist module', undefined, {
    greylisted: ['451 4.7.1 Try again later'],
  }),
  ...atRcpt('spamd of OpenBSD, spamd(8)', undefined, {
    greylisted: ['451 Temporary failure, please try again later.'],
  }),
  ...atRcpt('sqlgrey behind Postfix', undefined, {
    greylisted: [
      '450 4.7.1 <ada@ordinary.example>: Recipient address rejected: Greylisted for 5 minutes (15)',
    ],
  }),
  ...atRcpt('milter-greylist, in the documentation of Broadcom and in logs', undefined, {
    greylisted: [
      '451 4.7.1 Greylisting in action, please come back later',
      '451 4.7.1 Greylisting in action, please come back in 00:30:00',
    ],
  }),
  ...atRcpt('postgrey of Debian behind Postfix', undefined, {
    greylisted: [
      '450 4.2.0 <ada@ordinary.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/ordinary.example.html',
    ],
  }),
  ...atRcpt('exchangefreaks.com, thread of an Exchange administrator', undefined, {
    greylisted: ['450 Recipient address rejected greylisted for 300 seconds.....'],
  }),
  ...atRcpt('MailEnable, article ME020631', undefined, {
    greylisted: [
      '451 This server employs greylisting as a means of reducing spam. Please resend e-mail shortly',
    ],
  }),
  ...atRcpt('RabbitMQ and others on gen_smtp, handler of sessions', undefined, {
    temporary: ['421 mx.ordinary.example is too busy to accept mail right now'],
  }),
];
