import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { byCursor, savedListsQuery } from '../../api/shared-queries.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { countOf, formatMoment, formatNumber } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { hasEnded, isActive } from '../work-states.ts';
import { ExportDrawer } from './export-drawer.tsx';
import type { ExportSource } from './export-words.ts';
import styles from './exports.module.css';

interface Chosen {
  readonly source: ExportSource;
  readonly name: string;
}

type Choose = (chosen: Chosen) => void;

/** Asks what to export, then where. */
export function NewExport({
  open,
  onOpenChange,
}: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}) {
  const [chosen, setChosen] = useState<Chosen>();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  function choose(next: Chosen) {
    setChosen(next);
    onOpenChange(false);
    setDrawerOpen(true);
  }
  return (
    <>
      <Dialog title="What do you want to export?" open={open} onOpenChange={onOpenChange}>
        <Tabs
          name="Source"
          tabs={[
            { value: 'jobs', label: 'Validated addresses', content: <StartedJobs onChoose={choose} /> },
            { value: 'people', label: 'Saved people', content: <Saved kind="people" onChoose={choose} /> },
            { value: 'companies', label: 'Companies', content: <Saved kind="companies" onChoose={choose} /> },
          ]}
        />
      </Dialog>
      {chosen && <ExportDrawer {...chosen} open={isDrawerOpen} onOpenChange={setDrawerOpen} />}
    </>
  );
}

const jobsPerPage = 50;
/** Refetches on mount, so that newly created rows can be exported. */
const asOfNow = { refetchOnMount: 'always' } as const;

function StartedJobs({ onChoose }: { readonly onChoose: Choose }) {
  const list = $api.useInfiniteQuery(
    'get',
    '/validation-jobs',
    { params: { query: { limit: jobsPerPage } } },
    { ...byCursor, ...asOfNow },
  );
  if (list.isPending) return <Loading />;
  if (!list.data) return <Failure error={list.error} onRetry={list.refetch} />;
  const all = list.data.pages.flatMap(({ jobs }) => jobs);
  const started = all.filter(job => (hasEnded(job) || isActive(job)) && job.done > 0);
  if (started.length === 0 && !list.hasNextPage) {
    return (
      <Empty
        title="No validated lists yet"
        action={
          <LinkButton to="/validations/new" look="primary">
            Validate a list
          </LinkButton>
        }
      >
        You can export a list once it has its first results.
      </Empty>
    );
  }
  return (
    <>
      <ul className={styles.sources}>
        {started.map(({ job_id, name, rows, rows_open, ended_at }) => (
          <Source
            key={job_id}
            name={name}
            note={
              ended_at === null
                ? `${formatNumber(rows.total - rows_open)} of ${countOf(rows.total, 'row')} so far`
                : `${countOf(rows.total, 'row')} · ${formatMoment(ended_at)}`
            }
            onChoose={() => onChoose({ name, source: { kind: 'validation_job', job_id } })}
          />
        ))}
      </ul>
      {list.isError && <Failure error={list.error} />}
      {list.hasNextPage && (
        <Row>
          <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show older lists
          </Button>
          <span className={styles.soft} role="status">
            {started.length === 0 &&
              `None of the latest ${countOf(all.length, 'list')} has been started yet.`}
          </span>
        </Row>
      )}
    </>
  );
}

const everything = { people: 'All saved people', companies: 'All companies' } as const;

function Saved({ kind, onChoose }: { readonly kind: 'people' | 'companies'; readonly onChoose: Choose }) {
  const { data, isPending, isError, error, refetch } = useQuery({ ...savedListsQuery, ...asOfNow });
  const source = { kind: `saved_${kind}` } as const;
  return (
    <>
      <ul className={styles.sources}>
        <Source
          name={everything[kind]}
          note={kind === 'people' ? 'Everyone you have saved' : 'All companies you have paid for'}
          onChoose={() => onChoose({ name: everything[kind], source })}
        />
        {data
          ?.filter(list => list.kind === kind)
          .map(({ list_id, name, entries }) => (
            <Source
              key={list_id}
              name={name}
              note={`List · ${kind === 'people' ? countOf(entries, 'person', 'people') : countOf(entries, 'company', 'companies')}`}
              onChoose={() => onChoose({ name, source: { ...source, list_id } })}
            />
          ))}
      </ul>
      {isPending && <Loading />}
      {isError && <Failure error={error} onRetry={refetch} />}
    </>
  );
}

function Source({
  name,
  note,
  onChoose,
}: {
  readonly name: string;
  readonly note: string;
  readonly onChoose: () => void;
}) {
  return (
    <li>
      <button type="button" className={styles.source} onClick={onChoose}>
        <span>{name}</span>
        <span className={styles.soft}>{note}</span>
      </button>
    </li>
  );
}
