import type { WebhookOptions, WebhookPresetName } from '@mailproof/shared-types';

/** Hosts by which receivers are known, with all below them. */
const hosts: readonly (readonly [string, WebhookPresetName])[] = [
  ['api.clay.com', 'clay'],
  ['hooks.zapier.com', 'zapier'],
  ['hooks.airtable.com', 'airtable'],
  ['script.google.com', 'google_apps_script'],
  ['make.com', 'make'],
  ['n8n.cloud', 'n8n'],
];

/** Which receiver a push goes to: the one that was named, or else the one that its URL shows. */
export function presetOf({ preset }: Pick<WebhookOptions, 'preset'>, url: string): WebhookPresetName {
  const { hostname } = new URL(url);
  return preset ?? hosts.find(([host]) => hostname === host || hostname.endsWith(`.${host}`))?.[1] ?? 'none';
}
