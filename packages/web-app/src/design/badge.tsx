import { CircleCheck, CircleHelp, CircleX, ShieldCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../api/client.ts';
import styles from './badge.module.css';
import type { StateLook, Tone } from './looks.ts';

/** A state as one word; its color adds no information. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  );
}

/** A state with optional further content. */
export function StateBadge({ look, children }: { readonly look: StateLook; readonly children?: ReactNode }) {
  return (
    <Badge tone={look.tone}>
      {look.name}
      {children}
    </Badge>
  );
}

export type Result = NonNullable<Schema['ValidationJobRow']['verdict']>['result'];

/** The name, color and one-sentence explanation of each result, the same on every screen. */
export const resultLooks = {
  ok: { name: 'OK', tone: 'good', icon: CircleCheck, sentence: 'The mailbox exists and accepts mail.' },
  catch_all_validated: {
    name: 'Catch-all, validated',
    tone: 'fair',
    icon: ShieldCheck,
    sentence: 'The domain accepts every address; evidence confirms this one.',
  },
  catch_all: {
    name: 'Catch-all',
    tone: 'caution',
    icon: TriangleAlert,
    sentence: 'The domain accepts every address; this one could not be confirmed.',
  },
  invalid: { name: 'Invalid', tone: 'bad', icon: CircleX, sentence: 'Mail to this address will not arrive.' },
  unknown: {
    name: 'Unknown',
    tone: 'neutral',
    icon: CircleHelp,
    sentence: 'The check was inconclusive; free.',
  },
} as const satisfies Record<Result, { name: string; tone: Tone; icon: typeof CircleX; sentence: string }>;

export const results = Object.keys(resultLooks) as Result[];

/** A badge for the result of a validation. */
export function ResultBadge({ result }: { readonly result: Result }) {
  const { name, tone, icon: Icon } = resultLooks[result];
  return (
    <Badge tone={tone}>
      <Icon size={13} aria-hidden />
      {name}
    </Badge>
  );
}
