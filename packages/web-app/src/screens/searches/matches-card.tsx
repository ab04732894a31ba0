import { Button } from '../../design/button.tsx';
import { countOf, formatNumber, formatShare } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { classes } from '../../design/looks.ts';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { blockingFilters, knownShare } from './filter-counts.ts';
import { type Facets, type FilterField, type Filters, filterFields } from './filter-fields.ts';
import { useFinding } from './finding.ts';
import { without } from './search-filters.ts';
import type { Counted } from './search-queries.ts';
import styles from './searches.module.css';

interface MatchesCardProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly counted: Counted;
}

/** The number of people or companies that match the current filters, and which of their fields are known. */
export function MatchesCard({ filters, onChange, counted }: MatchesCardProps) {
  const { counts, isBehind, faults, error, refetch } = counted;
  const { one, many } = useFinding();
  const [oneMatches, manyMatch] = [`${one} matches`, `${many} match`];
  // The filters show why nothing could be counted.
  const hasFaults = faults.length > 0;
  return (
    <Card>
      {error && !hasFaults && <Failure error={error} onRetry={refetch} />}
      {hasFaults && (
        <Notice tone="caution" title="Some filters are not valid">
          They are marked; see the message next to each filter.
        </Notice>
      )}
      {!counts && !error && <Loading lines={2} name="Counting" />}
      {counts && (
        <div className={classes(isBehind && styles.behind)} aria-busy={isBehind}>
          <Figures figures={[[counts.total === 1 ? oneMatches : manyMatch, counts.total]]} />
          <p role="status" className="visually-hidden">
            {!isBehind && `${countOf(counts.total, oneMatches, manyMatch)}.`}
          </p>
        </div>
      )}
      {counts && counts.total === 0 && !isBehind && (
        <NoMatches filters={filters} facets={counts.facets} onChange={onChange} />
      )}
      {counts && counts.total > 0 && (
        <DataCoverage filters={filters} facets={counts.facets} total={counts.total} />
      )}
    </Card>
  );
}

/** A list of figures. */
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

function NoMatches({
  filters,
  facets,
  onChange,
}: {
  readonly filters: Filters;
  readonly facets: Facets;
  readonly onChange: (filters: Filters) => void;
}) {
  const { none } = useFinding();
  const fields = blockingFilters(filters, facets);
  return (
    <Notice tone="caution" title={`${none} matches all of these filters`}>
      {fields.length > 0
        ? 'Remove one of these filters to get matches:'
        : 'Remove some filters to get matches.'}
      {fields.length > 0 && (
        <Row>
          {fields.map(field => (
            <Button key={field.name} onClick={() => onChange(without(filters, field.name))}>
              Remove {field.label.toLowerCase()}
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

interface DataCoverageProps {
  readonly filters: Filters;
  readonly facets: Facets;
  readonly total: number;
}

/** The share of matches for which each field is known, so that customers see it before they pay. */
export function DataCoverage({ filters, facets, total }: DataCoverageProps) {
  return (
    <section aria-label="Data coverage">
      <h2 className={styles.minor}>Data coverage</h2>
      <dl className={styles.known}>
        {shown
          .filter(({ facet }) => facet && facets[facet])
          .map(field => (
            <KnownShare key={field.name} field={field} share={knownShare(field, filters, facets, total)} />
          ))}
      </dl>
    </section>
  );
}

function KnownShare({ field, share }: { readonly field: FilterField; readonly share: number }) {
  // Never shows "100%" if the field is unknown for anyone.
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
