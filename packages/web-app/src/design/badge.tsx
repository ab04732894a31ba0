import { CircleCheck, CircleHelp, CircleX, ShieldCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../api/client.ts';
import styles from './badge.module.css';
import type { Tone } from './tone.ts';

/** A word about a state; its colour never says anything that the word does not. */
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

export type Result = NonNullable<Schema['ValidationJobRow']['verdict']>['result'];

/** How a result is called, coloured and explained in one sentence; everywhere the same. */
export const resultLooks = {
  ok: { name: 'OK', tone: 'good', icon: CircleCheck, sentence: 'The mailbox exists and takes mail.' },
  catch_all_validated: {
    name: 'Catch-all, validated',
    tone: 'fair',
    icon: ShieldCheck,
    sentence: 'The domain takes every address; evidence says that this one is read.',
  },
  catch_all: {
    name: 'Catch-all',
    tone: 'caution',
    icon: TriangleAlert,
    sentence: 'The domain takes every address; whether anybody reads this one cannot be told.',
  },
  invalid: { name: 'Invalid', tone: 'bad', icon: CircleX, sentence: 'Mail to it does not arrive.' },
  unknown: {
    name: 'Unknown',
    tone: 'neutral',
    icon: CircleHelp,
    sentence: 'It could not be told, and costs nothing.',
  },
} as const satisfies Record<Result, { name: string; tone: Tone; icon: typeof CircleX; sentence: string }>;

export const results = Object.keys(resultLooks) as Result[];

/** What is known about an address. */
export function ResultBadge({ result }: { readonly result: Result }) {
  const { name, tone, icon: Icon } = resultLooks[result];
  return (
    <Badge tone={tone}>
      <Icon size={13} aria-hidden />
      {name}
    </Badge>
  );
}
