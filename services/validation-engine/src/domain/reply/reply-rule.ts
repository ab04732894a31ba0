import type { ProviderId } from '../providers/provider.ts';
import type { Stage } from '../smtp/transcript.ts';
import type { Meaning } from './meaning.ts';

/** One way in which mail hosts say one thing. All given conditions must hold. */
export interface ReplyRule {
  readonly meaning: Meaning;
  /** Where the rule holds; everywhere when left out. */
  readonly stages?: readonly Stage[];
  /** Whose replies the rule reads; everybody's when left out. */
  readonly providers?: readonly ProviderId[];
  readonly code?: RegExp;
  readonly enhanced?: RegExp;
  /** Matched against the lower-case text with every address in it replaced by `<address>`. */
  readonly text?: RegExp;
  /** Real lines that this rule reads, the reason for its existence; samples/ names the source of each. */
  readonly samples: readonly [string, ...string[]];
}
