import type { Finding } from './finding.ts';
import { judgeBlockLists } from './judge-block-lists.ts';
import { judgeEhloName, judgeReverse } from './judge-names.ts';
import { judgePort, judgePublicAddress, judgeResolvers } from './judge-network.ts';
import type { Observations, PublicAddressSeen } from './observations.ts';

export interface JudgeOptions {
  readonly smtpPort: number;
  readonly withBlockLists: boolean;
}

/** Judges what each observation means for validating addresses. */
export function judge(seen: Observations, options: JudgeOptions): Finding[] {
  const publicAddress = publicAddressOf(seen.publicAddress);
  return [
    ...judgeResolvers(seen.resolvers),
    judgePort(seen.greetings, options.smtpPort),
    judgePublicAddress(seen.publicAddress),
    judgeEhloName(seen.ehloName, publicAddress),
    judgeReverse(seen.reverse, seen.ehloName?.name),
    ...(options.withBlockLists ? judgeBlockLists(seen.blockLists, publicAddress) : []),
  ];
}

/** The address to examine. */
export function publicAddressOf(seen: PublicAddressSeen): string | undefined {
  switch (seen.kind) {
    case 'given':
      return seen.address;
    case 'echoed':
      return seen.addresses[0];
    case 'unknown':
      return undefined;
  }
}
