import type { Schema } from '../../api/client.ts';

export type Preset = NonNullable<Schema['WebhookOptions']['preset']>;

/** A destination as it is typed. */
export interface WebhookForm {
  readonly url: string;
  /** Empty: recognised by the address. */
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

/** Where rows go, as the API takes it; `signingSecret` stands in for one that was not typed. */
export function destinationOf(form: WebhookForm, signingSecret?: string): Schema['WebhookDestination'] {
  const secret = form.signingSecret.trim() || signingSecret;
  return {
    url: form.url.trim(),
    ...(form.hasHeader && { header: { name: form.headerName.trim(), value: form.headerValue.trim() } }),
    ...(secret && { signing_secret: secret }),
  };
}

/** How rows go. */
export function optionsOf({ preset, perSecondMax }: WebhookForm): Schema['WebhookOptions'] {
  const ceiling = Number(perSecondMax);
  return {
    ...(preset && { preset }),
    ...(perSecondMax.trim() !== '' && ceiling > 0 && { rows_per_second_max: ceiling }),
  };
}

/** What a test row was sent with: another one says nothing about this. */
export function sentWith(form: WebhookForm): string {
  return JSON.stringify([destinationOf(form), form.preset]);
}
