import type { LabCounts } from './counts.ts';

/** What a lab in its own process tells its parent over IPC. */
export type LabMessage =
  | {
      readonly type: 'ready';
      /** `host:port`. */
      readonly dnsServer: string;
      readonly smtpPort: number;
      readonly httpsPort: number;
      readonly caCertificatePem: string;
      readonly allowedRanges: readonly string[];
    }
  | { readonly type: 'counts'; readonly counts: LabCounts };

/** What a parent may ask of it. `counts` is answered with a message of the same type. */
export type LabRequest =
  | { readonly type: 'counts' }
  | { readonly type: 'reset_counts' }
  | { readonly type: 'set_round_trip'; readonly roundTripMs: number };
