import { Button } from '../../design/button.tsx';
import { classes } from '../../design/classes.ts';
import { countOf, formatNumber, formatShare } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import styles from './people.module.css';
import {
  type Facets,
  type FilterField,
  type Filters,
  fieldsInTheWay,
  filterFields,
  knownShare,
  withValues,
} from './people-filters.ts';
import type { Counted } from './people-queries.ts';

interface MatchesCardProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly counted: Counted;
}

/** How many people match while one chooses, and what is known of them. */
export function MatchesCard({ filters, onChange, counted }: MatchesCardProps) {
  const { counts, isBehind, faults, error, refetch } = counted;
  // The filters say themselves why nothing could be counted.
  const hasFaults = faults.length > 0;
  return (
    <Card>
      {error && !hasFaults && <Failure error={error} onRetry={refetch} />}
      {hasFaults && (
        <Notice tone="caution" title="Some of the filters have to be changed">
          They are marked, and say at their place what is wrong with them.
        </Notice>
      )}
      {!counts && !error && <Loading lines={2} name="Counting" />}
      {counts && (
        <div className={classes(isBehind && styles.behind)} aria-busy={isBehind}>
          <Figures figures={[[counts.total === 1 ? 'person matches' : 'people match', counts.total]]} />
          <p role="status" className="visually-hidden">
            {!isBehind && `${countOf(counts.total, 'person matches', 'people match')}.`}
          </p>
        </div>
      )}
      {counts && counts.total === 0 && !isBehind && (
        <NobodyMatches filters={filters} facets={counts.facets} onChange={onChange} />
      )}
      {counts && counts.total > 0 && (
        <WhatIsKnown filters={filters} facets={counts.facets} total={counts.total} />
      )}
    </Card>
  );
}

/** Numbers to look at. */
export function Figures({ figures }: { readonly figures: readonly (readonly [string, number])[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{formatNumber(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function NobodyMatches({
  filters,
  facets,
  onChange,
}: {
  readonly filters: Filters;
  readonly facets: Facets;
  readonly onChange: (filters: Filters) => void;
}) {
  const fields = fieldsInTheWay(filters, facets);
  return (
    <Notice tone="caution" title="Nobody matches all of these filters">
      {fields.length > 0
        ? 'Without one of these there would be people:'
        : 'Take some of the filters away to find people again.'}
      {fields.length > 0 && (
        <Row>
          {fields.map(field => (
            <Button key={field.name} onClick={() => onChange(withValues(filters, field.name, []))}>
              Drop {field.label.toLowerCase()}
            </Button>
          ))}
        </Row>
      )}
    </Notice>
  );
}

const shown = filterFields.filter(
  ({ facet }) => facet !== undefined && facet !== 'job_titles' && facet !== 'keywords',
);

interface WhatIsKnownProps {
  readonly filters: Filters;
  readonly facets: Facets;
  readonly total: number;
}

/** Of how many of the people each thing is known, so that nobody pays for blanks without having seen it. */
export function WhatIsKnown({ filters, facets, total }: WhatIsKnownProps) {
  return (
    <section aria-label="What is known of them">
      <h2 className={styles.minor}>What is known of them</h2>
      <dl className={styles.known}>
        {shown.map(field => (
          <KnownShare key={field.name} field={field} share={knownShare(field, filters, facets, total)} />
        ))}
      </dl>
    </section>
  );
}

function KnownShare({ field, share }: { readonly field: FilterField; readonly share: number }) {
  // Not "100%" while there is somebody of whom it is not known.
  const rounded = share === 1 ? 1 : Math.min(0.999, Math.floor(share * 1_000) / 1_000);
  return (
    <div>
      <dt>{field.label}</dt>
      <dd>
        {formatShare(rounded)}
        <span className={styles.bar} aria-hidden>
          <span style={{ width: `${100 * share}%` }} />
        </span>
      </dd>
    </div>
  );
}
