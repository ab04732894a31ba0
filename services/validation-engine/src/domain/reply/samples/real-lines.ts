import { consumerProviderLines } from './consumer-providers.ts';
import { easternProviderLines } from './eastern-providers.ts';
import { firstHoldout } from './first-holdout.ts';
import { gatewayLines } from './gateways.ts';
import { googleLines } from './google.ts';
import { greylistLines } from './greylists.ts';
import { hostingProviderLines } from './hosting-providers.ts';
import { microsoftLines } from './microsoft.ts';
import type { RealLine } from './real-line.ts';
import { ruleSetLines } from './rule-sets.ts';
import { secondHoldout } from './second-holdout.ts';
import { serverLines } from './servers.ts';

/** Every real line on which the classifier is measured, family by family. */
export const realLines: readonly RealLine[] = [
  ...googleLines,
  ...microsoftLines,
  ...consumerProviderLines,
  ...gatewayLines,
  ...hostingProviderLines,
  ...easternProviderLines,
  ...serverLines,
  ...greylistLines,
  ...ruleSetLines,
  ...firstHoldout,
  ...secondHoldout,
];
