import type { Schema } from '../../api/client.ts';
import { formatNumber } from '../../design/format.ts';

export type Preset = NonNullable<Schema['WebhookOptions']['preset']>;

/** The destination form's values. */
export interface WebhookForm {
  readonly url: string;
  /** If empty, the URL determines the receiver. */
  readonly preset: Preset | '';
  readonly hasHeader: boolean;
  readonly headerName: string;
  readonly headerValue: string;
  readonly signingSecret: string;
  readonly perSecondMax: string;
}

export const emptyDestination: WebhookForm = {
  url: '',
  preset: '',
  hasHeader: false,
  headerName: 'Authorization',
  headerValue: '',
  signingSecret: '',
  perSecondMax: '',
};

/** The destination in the API's form; `signingSecret` is used if none was typed. */
export function destinationOf(form: WebhookForm, signingSecret?: string): Schema['WebhookDestination'] {
  const secret = form.signingSecret.trim() || signingSecret;
  return {
    url: form.url.trim(),
    ...(form.hasHeader && { header: { name: form.headerName.trim(), value: form.headerValue.trim() } }),
    ...(secret && { signing_secret: secret }),
  };
}

/** Returns the push options in the API's form. */
export function optionsOf({ preset, perSecondMax }: WebhookForm): Schema['WebhookOptions'] {
  const ceiling = Number(perSecondMax);
  return {
    ...(preset && { preset }),
    ...(perSecondMax.trim() !== '' && ceiling > 0 && { rows_per_second_max: ceiling }),
  };
}

/** Identifies the destination of a test row: the result of a test applies only to the same destination. */
export function sentWith(form: WebhookForm): string {
  return JSON.stringify([destinationOf(form), form.preset]);
}

type Result = Pick<Schema['TestRowResult'], 'outcome' | 'status_code' | 'failure' | 'elapsed_ms'>;

interface Words {
  readonly tone: 'good' | 'caution' | 'bad';
  readonly title: string;
  readonly advice: string | undefined;
}

/** Describes the result of a test row for the user. */
export function testRowWords({ outcome, status_code, failure, elapsed_ms }: Result): Words {
  const took = `after ${formatNumber(elapsed_ms)} ms`;
  switch (outcome) {
    case 'delivered':
      return {
        tone: 'good',
        title: `Row delivered: status ${status_code} ${took}`,
        advice: undefined,
      };
    case 'throttled':
      return {
        tone: 'caution',
        title: `The receiver rate-limited the request: status ${status_code} ${took}`,
        advice:
          'The receiver is reachable and accepts our requests. A push waits as requested and loses no rows.',
      };
    case 'failed':
      return {
        tone: 'bad',
        title:
          status_code === null
            ? `Row not delivered: no response ${took}`
            : `Row not delivered: status ${status_code} ${took}`,
        advice: failure?.detail,
      };
  }
}

/** Formats a JSON row with each field on a separate line; any other text stays unchanged. */
export function readableRow(row: string): string {
  try {
    return JSON.stringify(JSON.parse(row), null, 2);
  } catch {
    return row;
  }
}
