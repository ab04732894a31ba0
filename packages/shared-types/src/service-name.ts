/** Every deployable service; the name is also the issuer and audience of service tokens. */
export const serviceNames = [
  'gateway',
  'credit-ledger',
  'validation-engine',
  'mcp-server',
  'enrichment',
  'webhook-dispatcher',
] as const;

export type ServiceName = (typeof serviceNames)[number];
