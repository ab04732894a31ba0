import {
  type MailProvider,
  type ProviderEvent,
  type ProviderRequest,
  RequestRefused,
} from '../../domain/outcomes/receive-events.ts';
import { assertBasicAuth, eventOf } from './provider-request.ts';

/** A mail server of the account: delivery status notifications (RFC 3464) as it receives them. */
export const deliveryStatus: MailProvider = {
  async read(request, { key }) {
    assertBasicAuth(request.headers, key);
    const { status, date } = await findStatus(request);
    const [message, ...recipients] = groupsOf(status);
    if (message === undefined || recipients.length === 0) {
      throw new RequestRefused('body_not_readable');
    }
    return { kind: 'events', events: recipients.map(fields => readRecipient(fields, date)) };
  },
};

const statusTypes: ReadonlySet<string> = new Set([
  'message/delivery-status',
  // With addresses in UTF-8 (RFC 6533).
  'message/global-delivery-status',
]);

/**
 * The most lines that are read, because each costs the parser some microseconds. The part about the recipients comes before
 * the original message (RFC 3464 section 2), and has fewer lines for the most events that a source accepts.
 */
const linesMax = 20_000;

/** A report contains at most the original message, which is not read. */
const bounds = { maxNestingDepth: 10, maxHeadersSize: 131_072, maxRfc822NestingDepth: 0 } as const;

/** Finds the machine-readable part of a notification, and the date of the whole. */
async function findStatus({ headers, content, now }: ProviderRequest) {
  const type = headers['content-type'] ?? '';
  // Without the message around it, the boundary is in the header of the request.
  const beginning = firstLines(content);
  const message = /^multipart\//i.test(type)
    ? Buffer.concat([Buffer.from(`Content-Type: ${type}\r\n\r\n`), beginning])
    : beginning;
  const { default: PostalMime } = await import('postal-mime');
  const { attachments, date } = await PostalMime.parse(message, bounds).catch((cause: unknown) => {
    throw new RequestRefused('body_not_readable', { cause });
  });
  const status = attachments.find(({ mimeType }) => statusTypes.has(mimeType.toLowerCase()));
  if (status === undefined) {
    throw new RequestRefused('body_not_readable');
  }
  const { content: found } = status;
  return {
    status: typeof found === 'string' ? found : new TextDecoder().decode(found),
    // Without a date it is of today, so that the same notification counts once a day.
    date: dateOf(date) ?? new Date(now.toISOString().slice(0, 10)),
  };
}

function firstLines(content: Buffer): Buffer {
  let at = -1;
  for (let lines = 0; lines < linesMax; lines += 1) {
    at = content.indexOf(0x0a, at + 1);
    if (at < 0) return content;
  }
  return content.subarray(0, at + 1);
}

type Fields = ReadonlyMap<string, string>;

/**
 * Reads groups of fields, which blank lines separate. The first is about the message, each other one about a recipient. A
 * line that begins with white space continues the field before it (RFC 5322 section 2.2.3).
 */
function groupsOf(status: string): Fields[] {
  const groups: Map<string, string>[] = [];
  let group: Map<string, string> | undefined;
  let last: { readonly name: string; readonly lines: string[] } | undefined;
  const endField = () => {
    if (last && group && !group.has(last.name)) group.set(last.name, last.lines.join(' '));
    last = undefined;
  };
  for (const line of status.split('\n')) {
    const text = line.trim();
    const colon = line.indexOf(':');
    if (text === '') {
      endField();
      group = undefined;
    } else if (last && /^[ \t]/.test(line)) {
      last.lines.push(text);
    } else if (colon > 0) {
      endField();
      if (!group) {
        group = new Map();
        groups.push(group);
      }
      last = { name: line.slice(0, colon).trim().toLowerCase(), lines: [line.slice(colon + 1).trim()] };
    }
  }
  endField();
  return groups;
}

/** A field after its type, such as `rfc822;` or `dns;` (RFC 3464 section 2.1.2). */
function typed(fields: Fields, name: string, types: RegExp): string | undefined {
  const field = fields.get(name) ?? '';
  const at = field.indexOf(';');
  return at > 0 && types.test(field.slice(0, at).trim()) ? field.slice(at + 1).trim() : undefined;
}

function readRecipient(fields: Fields, date: Date): ProviderEvent {
  const email = typed(fields, 'final-recipient', /^(?:rfc822|utf-8)$/i);
  if (email === undefined) {
    return { ignored: 'not_readable' };
  }
  const told = { email, at: dateOf(fields.get('last-attempt-date')) ?? date };
  switch (fields.get('action')?.toLowerCase()) {
    case 'failed':
      return eventOf('bounced', {
        ...told,
        code: /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0],
        text: fields.get('diagnostic-code'),
        host: typed(fields, 'remote-mta', /^dns$/i),
      });
    case 'delivered':
      return eventOf('delivered', told);
    case 'delayed':
      return { ignored: 'not_final' };
    // Handed on to a system that reports nothing, or to the members of a list.
    case 'relayed':
    case 'expanded':
      return { ignored: 'not_an_outcome' };
    default:
      return { ignored: 'not_readable' };
  }
}

function dateOf(text: string | undefined): Date | undefined {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}
