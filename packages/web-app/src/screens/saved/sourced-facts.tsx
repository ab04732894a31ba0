import { Database, FileUp, Globe, Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.ts';
import { formatDay } from '../../design/format.ts';
import styles from './saved.module.css';

type Source = Schema['RecordSource'];

export interface SourcedFact {
  readonly name: string;
  readonly value: ReactNode;
  /** Undefined if the fact is unknown. */
  readonly source: Source | undefined;
}

/** The known facts about a person or a company, each with its source. */
export function SourcedFacts({ facts }: { readonly facts: readonly SourcedFact[] }) {
  const known = facts.filter(({ source }) => source !== undefined);
  const unknown = facts.filter(({ source }) => source === undefined);
  return (
    <>
      <dl className={styles.facts}>
        {known.map(({ name, value, source }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <div>{value}</div>
              {source && <SourceLine source={source} />}
            </dd>
          </div>
        ))}
      </dl>
      {unknown.length > 0 && (
        <p className={styles.soft}>Unknown: {unknown.map(({ name }) => name.toLowerCase()).join(', ')}.</p>
      )}
    </>
  );
}

const kinds = {
  import: { name: 'Data set', icon: Database },
  synthetic: { name: 'Synthetic', icon: Sparkles },
  page: { name: 'Public page', icon: Globe },
  own_import: { name: 'Your import', icon: FileUp },
} as const satisfies Record<Source['kind'], object>;

/** The source of a fact, its license and its date. */
export function SourceLine({ source }: { readonly source: Source }) {
  const { name, icon: Icon } = kinds[source.kind];
  return (
    <div className={styles.source}>
      <Icon size={13} aria-hidden />
      <span>
        {name}: {source.name} · {source.licence} · {formatDay(source.retrieved_on)}
      </span>
    </div>
  );
}
