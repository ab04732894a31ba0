/** Client for the Mailproof API. It needs `fetch` and Web Streams only: Node, Deno, Bun, browsers and their workers. */
export type { RetryPolicy } from './exchange.ts';
export type { paths } from './generated/schema.ts';
export {
  type DownloadOptions,
  type List,
  type ListOptions,
  Mailproof,
  type MailproofOptions,
  type Row,
  type Schema,
  type WaitOptions,
} from './mailproof.ts';
export { MailproofError, type ProblemDocument } from './mailproof-error.ts';
export { type OtherWebhook, verifyWebhook, type WebhookEvent } from './webhooks.ts';
