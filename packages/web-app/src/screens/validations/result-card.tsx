import { getRouteApi } from '@tanstack/react-router';
import { resultLooks, results } from '../../design/badge.tsx';
import { formatNumber, formatShare } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { countFor, ResultBar } from '../../design/result-bar.tsx';
import type { Job } from './job-search.ts';
import styles from './validations.module.css';

const route = getRouteApi('/signed-in/validations/$jobId');

/** How many rows have which result, each a way to those rows. */
export function ResultCard({ job }: { readonly job: Job }) {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const sum = results.reduce((all, result) => all + countFor(job.results, result), 0);
  return (
    <Card title="Results">
      <ResultBar counts={job.results} total={job.rows.total} isDecoration />
      <ul className={styles.legend}>
        {results.map(result => {
          const { name, tone, sentence } = resultLooks[result];
          const isShown = show === result;
          return (
            <li key={result}>
              <button
                type="button"
                className={styles.tile}
                aria-pressed={isShown}
                onClick={() =>
                  navigate({
                    search: before => ({ ...before, show: isShown ? undefined : result }),
                    replace: true,
                    resetScroll: false,
                  })
                }
              >
                <span className={styles.tileName}>
                  <span className={styles.dot} data-tone={tone} aria-hidden />
                  {name}
                </span>
                <strong>{formatNumber(countFor(job.results, result))}</strong>
                <span className={styles.soft}>
                  {formatShare(sum === 0 ? 0 : countFor(job.results, result) / sum)} of results
                </span>
                <span className={styles.tileSentence}>{sentence}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
