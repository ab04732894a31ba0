import {
  type ExportId,
  type PushBeginning,
  type WebhookDestination,
  type WebhookOptions,
  type WebhookPreset,
  webhookPresets,
} from '@mailproof/shared-types';
import {
  type ClassifyHost,
  type Destination,
  type DestinationIssue,
  type DestinationStore,
  destinationIssues,
  presetOf,
} from './destination.ts';

export interface BeginPushPorts {
  readonly destinations: DestinationStore;
  readonly classifyHost: ClassifyHost;
  /** Generates a signing secret. */
  readonly newSigningSecret: () => string;
}

/** A destination that may not be used, with the reasons. */
export class DestinationFault extends Error {
  override readonly name = 'DestinationFault';
  readonly issues: readonly DestinationIssue[];

  constructor(issues: readonly DestinationIssue[]) {
    super('The destination is not valid.');
    this.issues = issues;
  }
}

/**
 * The destination of rows, with the secret that signs them.
 *
 * @throws DestinationFault
 */
export function destinationOf(
  { classifyHost, newSigningSecret }: Pick<BeginPushPorts, 'classifyHost' | 'newSigningSecret'>,
  { url, header, signing_secret: signingSecret }: WebhookDestination,
): Destination {
  const wanted = { url, header: header ?? null };
  const issues = destinationIssues(wanted, classifyHost);
  if (issues.length > 0) {
    throw new DestinationFault(issues);
  }
  return { ...wanted, signingSecret: signingSecret ?? newSigningSecret() };
}

/**
 * Stores the destination of an export's rows. A repeated request gets the secret that was generated for the first one,
 * as long as the URL is the same.
 *
 * @throws DestinationFault
 */
export async function keepDestination(
  ports: BeginPushPorts,
  exportId: ExportId,
  wanted: WebhookDestination,
): Promise<Destination> {
  const destination = destinationOf(ports, wanted);
  const known = wanted.signing_secret === undefined ? await ports.destinations.find(exportId) : undefined;
  const kept =
    known?.url === destination.url ? { ...destination, signingSecret: known.signingSecret } : destination;
  await ports.destinations.keep(exportId, kept);
  return kept;
}

/** The share of a receiver's lifetime limit that one push may use without a warning. */
const lifetimeShareMin = 0.5;

/** What is known before the first row. `rows` is the number of rows to send. */
export function pushBeginningOf(
  options: WebhookOptions,
  { url, signingSecret }: Destination,
  rows: number,
): PushBeginning {
  const preset = presetOf(options, url);
  const limits: WebhookPreset = webhookPresets[preset];
  const { lifetimeRowsMax, notice, perSecondMax, name } = limits;
  const isNearEnd = lifetimeRowsMax !== null && rows >= lifetimeRowsMax * lifetimeShareMin;
  return {
    preset,
    rows_per_second_max: Math.min(perSecondMax, options.rows_per_second_max ?? perSecondMax),
    notices: [
      ...(notice === null ? [] : [notice]),
      ...(isNearEnd
        ? [
            `This push has ${rows.toLocaleString('en')} rows, and one ${name} webhook accepts ${lifetimeRowsMax.toLocaleString('en')} over its lifetime. Use a new webhook; otherwise rows may be missing at the end.`,
          ]
        : []),
    ],
    signing_secret: signingSecret,
  };
}
