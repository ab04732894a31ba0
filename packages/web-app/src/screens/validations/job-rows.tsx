import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { ResultBadge } from '../../design/badge.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Empty, Failure } from '../../design/states.tsx';
import { type Column, VirtualTable } from '../../design/table.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import { type Job, type Shown, seenColumns, shownCount } from './job-search.ts';
import { hasEnded } from './job-states.ts';
import { emailTypeNames, faultSentence, providerName, reasonSentence, shownNames } from './job-words.ts';
import { RowDrawer } from './row-drawer.tsx';
import { type JobRow, useRowPages } from './row-pages.ts';
import styles from './validations.module.css';

const route = getRouteApi('/signed-in/validations/$jobId');
/** A cell may have tens of thousands of characters, of which a line shows some. */
const cellCharactersMax = 160;

const filters = {
  ready: ['valid', 'duplicate', 'broken', 'blank'],
  started: [
    'ok',
    'catch_all_validated',
    'catch_all',
    'invalid',
    'unknown',
    'none',
    'duplicate',
    'broken',
    'blank',
  ],
} as const;

/** The rows of a list with what is known of their addresses. */
export function JobRows({ job }: { readonly job: Job }) {
  const { show, columns: chosen, row } = route.useSearch();
  const navigate = route.useNavigate();
  const count = shownCount(job, show);
  const shownPlaces = useMemo(() => seenColumns(job, chosen), [job, chosen]);
  const seek = useCallback(
    (search: { show?: Shown | undefined; columns?: string | undefined; row?: number | undefined }) =>
      navigate({ search: before => ({ ...before, ...search }), replace: true, resetScroll: false }),
    [navigate],
  );
  const open = useCallback((opened: number) => seek({ row: opened }), [seek]);
  return (
    <Card
      title="Rows"
      actions={<ColumnChooser job={job} seen={shownPlaces} onChoose={columns => seek({ columns })} />}
    >
      <Filters job={job} show={show} onShow={next => seek({ show: next })} />
      <p role="status" className="visually-hidden">
        {countOf(count, 'row')} shown
      </p>
      {count === 0 ? (
        <Empty title="No such rows">Choose another filter to see others.</Empty>
      ) : (
        <Rows key={show} job={job} show={show} count={count} places={shownPlaces} onOpen={open} />
      )}
      <RowDrawer job={job} row={row} onClose={() => seek({ row: undefined })} />
    </Card>
  );
}

interface RowsProps {
  readonly job: Job;
  readonly show: Shown | undefined;
  readonly count: number;
  readonly places: readonly number[];
  readonly onOpen: (row: number) => void;
}

function Rows({ job, show, count, places, onOpen }: RowsProps) {
  const isFinal = hasEnded(job);
  const { rowAt, onSeen, error, retry } = useRowPages(job.job_id, show, isFinal);
  const placesText = places.join('-');
  const { columns: own, address_column: addressColumn, started_at: startedAt } = job;
  // A job has another object with each event; its columns are the same as long as their names are.
  const names = JSON.stringify(own.map(({ name }) => name));
  const columns = useMemo(
    () =>
      columnsOf({
        names: JSON.parse(names) as string[],
        places: placesText === '' ? [] : placesText.split('-').map(Number),
        addressColumn,
        isStarted: startedAt !== null,
        isFinal,
        onOpen,
      }),
    [names, placesText, addressColumn, startedAt, isFinal, onOpen],
  );
  return (
    <>
      {error ? <Failure error={error} onRetry={retry} /> : null}
      <VirtualTable name="Rows of the list" columns={columns} count={count} rowAt={rowAt} onSeen={onSeen} />
    </>
  );
}

interface ColumnsOptions {
  readonly names: readonly string[];
  readonly places: readonly number[];
  readonly addressColumn: number | null;
  readonly isStarted: boolean;
  readonly isFinal: boolean;
  readonly onOpen: (row: number) => void;
}

function columnsOf({
  names,
  places,
  addressColumn,
  isStarted,
  isFinal,
  onOpen,
}: ColumnsOptions): Column<JobRow>[] {
  const columns: Column<JobRow>[] = [
    { id: 'row', header: 'Row', width: '4.5rem', align: 'end', cell: ({ row }) => formatNumber(row) },
    {
      id: 'address',
      header: addressColumn === null ? 'Address' : (names[addressColumn] ?? 'Address'),
      width: 'minmax(15rem, 1.5fr)',
      cell: row => (
        <button
          type="button"
          className={styles.open}
          aria-label={`${nameOf(row, addressColumn)}: details of row ${row.row}`}
          onClick={() => onOpen(row.row)}
        >
          {nameOf(row, addressColumn)}
        </button>
      ),
    },
  ];
  if (isStarted) {
    columns.push(
      {
        id: 'result',
        header: 'Result',
        width: '11rem',
        cell: row => <RowResult row={row} isFinal={isFinal} />,
      },
      { id: 'why', header: 'Why', width: 'minmax(16rem, 2fr)', cell: why },
      {
        id: 'provider',
        header: 'Mail provider',
        width: '10rem',
        cell: ({ verdict }) => (verdict?.mx_provider ? providerName(verdict.mx_provider) : ''),
      },
      {
        id: 'type',
        header: 'Kind',
        width: '7rem',
        cell: ({ verdict }) => (verdict?.email_type ? emailTypeNames[verdict.email_type] : ''),
      },
    );
  }
  if (!isStarted) columns.push({ id: 'note', header: 'Note', width: 'minmax(13rem, 1fr)', cell: why });
  for (const place of places) {
    columns.push({
      id: `own-${place}`,
      header: names[place] ?? '',
      width: '11rem',
      cell: row => cut(cellOf(row, place)),
    });
  }
  return columns;
}

/** What a row is called by: its address, or what stands in place of one. */
function nameOf(row: JobRow, addressColumn: number | null): string {
  return row.email ?? (cut(cellOf(row, addressColumn)) || '(blank)');
}

function cellOf({ cells }: JobRow, place: number | null): string {
  return place === null ? '' : (cells[place] ?? '');
}

function cut(text: string): string {
  return text.length > cellCharactersMax ? `${text.slice(0, cellCharactersMax)}…` : text;
}

function RowResult({ row, isFinal }: { readonly row: JobRow; readonly isFinal: boolean }) {
  if (row.verdict) return <ResultBadge result={row.verdict.result} />;
  return (
    <span className={styles.soft}>{row.email === null ? 'Blank' : isFinal ? 'No result' : 'Not yet'}</span>
  );
}

/** Why a row is what it is, in one sentence. */
export function why({ fault, verdict, is_duplicate: isDuplicate }: JobRow): string {
  if (fault !== null) return faultSentence(fault);
  const sentence = verdict ? reasonSentence(verdict.reason) : '';
  return isDuplicate ? `Stood in a row before. ${sentence}` : sentence;
}

interface FiltersProps {
  readonly job: Job;
  readonly show: Shown | undefined;
  readonly onShow: (show: Shown | undefined) => void;
}

/** Ways to see some of the rows; those that have none are left out. */
function Filters({ job, show, onShow }: FiltersProps) {
  const offered: readonly Shown[] = job.started_at ? filters.started : filters.ready;
  const choices = [undefined, ...offered.filter(each => each === show || shownCount(job, each) > 0)];
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">Rows that are shown</legend>
      {choices.map(each => (
        <button
          key={each ?? 'all'}
          type="button"
          className={styles.chip}
          aria-pressed={each === show}
          onClick={() => onShow(each)}
        >
          {each ? shownNames[each] : 'All'} <span>{formatNumber(shownCount(job, each))}</span>
        </button>
      ))}
    </fieldset>
  );
}
