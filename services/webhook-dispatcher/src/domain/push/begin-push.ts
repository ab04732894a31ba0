import {
  type ExportId,
  type PushBeginning,
  type WebhookDestination,
  type WebhookOptions,
  type WebhookPreset,
  webhookPresets,
} from '@mailproof/shared-types';
import {
  type Destination,
  type DestinationIssue,
  type DestinationStore,
  destinationIssues,
  type PlaceOfHost,
} from './destination.ts';
import { presetOf } from './preset-of.ts';

export interface BeginPushPorts {
  readonly destinations: DestinationStore;
  readonly placeOf: PlaceOfHost;
  /** Makes up a signing secret. */
  readonly newSigningSecret: () => string;
}

/** A destination that nothing may be sent to, with what is wrong with it. */
export class DestinationFault extends Error {
  override readonly name = 'DestinationFault';
  readonly issues: readonly DestinationIssue[];

  constructor(issues: readonly DestinationIssue[]) {
    super('Rows cannot be pushed there.');
    this.issues = issues;
  }
}

/**
 * Where rows are to go, with the secret that they are signed with.
 *
 * @throws DestinationFault
 */
export function destinationOf(
  { placeOf, newSigningSecret }: Pick<BeginPushPorts, 'placeOf' | 'newSigningSecret'>,
  { url, header, signing_secret: signingSecret }: WebhookDestination,
): Destination {
  const wanted = { url, header: header ?? null };
  const issues = destinationIssues(wanted, placeOf);
  if (issues.length > 0) {
    throw new DestinationFault(issues);
  }
  return { ...wanted, signingSecret: signingSecret ?? newSigningSecret() };
}

/**
 * Keeps where the rows of an export go. A request that comes again finds the secret that was made up for the first one,
 * as long as it names the same place.
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

/** So much of a receiver's life may be used by one push without a word. */
const lifetimeShareMin = 0.5;

/** What there is to know ahead of the first row. `rows` are those that are going to be sent. */
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
            `This push sends ${rows.toLocaleString('en')} of the ${lifetimeRowsMax.toLocaleString('en')} rows that one webhook of ${name} takes in its life. Use a new one, or what it took before is missing at the end.`,
          ]
        : []),
    ],
    signing_secret: signingSecret,
  };
}
