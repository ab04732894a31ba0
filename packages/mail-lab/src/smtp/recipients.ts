import type { Reply, SmtpScript } from '../script.ts';
import { codeOf, type SmtpHost } from './replies.ts';

/** The state of a session at a recipient; the first two counts include that recipient. */
export type Course = {
  readonly recipientsOfTransaction: number;
  readonly recipientsOfSession: number;
  readonly transactions: number;
  /** How many earlier commands were refused. */
  readonly refusals: number;
  readonly firstDomain: string | undefined;
};

const accepted: Reply = '250 2.1.5 Ok';
const unknown: Reply = '550 5.1.1 <{recipient}>: User unknown';

/** Returns a host's reply to a recipient in one of its domains. */
export function replyToRecipient(host: SmtpHost, course: Course, localPart: string, domain: string): Reply {
  const { script } = host;
  if (isTooLate(script, course, domain)) return unknown;
  if (script.turnsAfter !== undefined) {
    const { recipients, from } = script.turnsAfter;
    if (from === 'everybody' && host.asked <= recipients) return accepted;
    if (from === 'script' && host.asked > recipients) return unknown;
  }
  if (host.refused >= (script.failsOpenAfter ?? Number.POSITIVE_INFINITY)) return accepted;
  const { form, reply: refusal } = script.refusedForm ?? {};
  const isRefused = form?.test(localPart) === true && refusal !== undefined;
  const reply = isRefused ? refusal : mailboxReply(script, localPart, domain);
  host.refused += codeOf([reply].flat().join('')) < 400 ? 0 : 1;
  return reply;
}

function isTooLate({ believesFirst, unknownAfter }: SmtpScript, course: Course, domain: string): boolean {
  if (unknownAfter !== undefined) {
    return 'recipients' in unknownAfter
      ? course.recipientsOfSession > unknownAfter.recipients
      : course.refusals >= unknownAfter.refusals;
  }
  switch (believesFirst) {
    case 'of_session':
      return course.recipientsOfSession > 1;
    case 'of_transaction':
      return course.recipientsOfTransaction > 1;
    case 'transaction':
      return course.transactions > 1;
    case 'domain':
      return domain !== course.firstDomain;
    default:
      return false;
  }
}

/** Mailboxes are case-insensitive, as almost everywhere. A whole address takes precedence over a local part. */
function mailboxReply(script: SmtpScript, localPart: string, domain: string): Reply {
  const whole = localPart.toLowerCase();
  const mailbox = script.subaddresses === true ? (whole.split('+')[0] ?? whole) : whole;
  for (const key of [`${mailbox}@${domain}`, mailbox]) {
    // A local part may be any word, including names of inherited object properties.
    if (Object.hasOwn(script.mailboxes, key)) return script.mailboxes[key] ?? script.otherRecipients;
  }
  return script.otherRecipients;
}
