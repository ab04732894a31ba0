import { getRouteApi } from '@tanstack/react-router';
import { Columns3 } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { ResultBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Checkbox } from '../../design/field.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Empty, Failure } from '../../design/states.tsx';
import { type Column, VirtualTable } from '../../design/table.tsx';
import { providerName } from '../../verdicts/providers.ts';
import { hasEnded } from '../work-states.ts';
import { type Job, type Shown, seenColumns, shownCount } from './job-search.ts';
import { emailTypeNames, faultSentence, reasonName, shownNames } from './job-words.ts';
import { RowDrawer } from './row-drawer.tsx';
import { type JobRow, useRowPages } from './row-pages.ts';
import styles from './validations.module.css';

const route = getRouteApi('/signed-in/validations/$jobId');
/** A cell may have tens of thousands of characters; the table shows only the first ones. */
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

/** The rows of a list with the results of their addresses. */
export function JobRows({ job }: { readonly job: Job }) {
  const { show, columns: chosen, row } = route.useSearch();
  const navigate = route.useNavigate();
  const count = shownCount(job, show);
  const shownPositions = useMemo(() => seenColumns(job, chosen), [job, chosen]);
  const seek = useCallback(
    (search: { show?: Shown | undefined; columns?: string | undefined; row?: number | undefined }) =>
      navigate({ search: before => ({ ...before, ...search }), replace: true, resetScroll: false }),
    [navigate],
  );
  const open = useCallback((opened: number) => seek({ row: opened }), [seek]);
  return (
    <Card
      title="Rows"
      actions={<ColumnChooser job={job} seen={shownPositions} onChoose={columns => seek({ columns })} />}
    >
      <Filters job={job} show={show} onShow={next => seek({ show: next })} />
      <p role="status" className="visually-hidden">
        {countOf(count, 'row')} shown
      </p>
      {count === 0 ? (
        <Empty title="No matching rows">Choose another filter.</Empty>
      ) : (
        <Rows key={show} job={job} show={show} count={count} positions={shownPositions} onOpen={open} />
      )}
      <RowDrawer job={job} row={row} onClose={() => seek({ row: undefined })} />
    </Card>
  );
}

interface RowsProps {
  readonly job: Job;
  readonly show: Shown | undefined;
  readonly count: number;
  readonly positions: readonly number[];
  readonly onOpen: (row: number) => void;
}

function Rows({ job, show, count, positions, onOpen }: RowsProps) {
  const isFinal = hasEnded(job);
  const { rowAt, onSeen, error, retry } = useRowPages(job.job_id, show, isFinal);
  const positionsText = positions.join('-');
  const { columns: own, address_column: addressColumn, started_at: startedAt } = job;
  // Each event creates a new job object, so columns are compared by their names.
  const names = JSON.stringify(own.map(({ name }) => name));
  const columns = useMemo(
    () =>
      columnsOf({
        names: JSON.parse(names) as string[],
        positions: positionsText === '' ? [] : positionsText.split('-').map(Number),
        addressColumn,
        isStarted: startedAt !== null,
        isFinal,
        onOpen,
      }),
    [names, positionsText, addressColumn, startedAt, isFinal, onOpen],
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
  readonly positions: readonly number[];
  readonly addressColumn: number | null;
  readonly isStarted: boolean;
  readonly isFinal: boolean;
  readonly onOpen: (row: number) => void;
}

function columnsOf({
  names,
  positions,
  addressColumn,
  isStarted,
  isFinal,
  onOpen,
}: ColumnsOptions): Column<JobRow>[] {
  const columns: Column<JobRow>[] = [
    {
      id: 'row',
      header: 'Row',
      width: 'clamp(3.25rem, 10vw, 4.5rem)',
      align: 'end',
      cell: ({ row }) => formatNumber(row),
    },
    {
      id: 'address',
      header: addressColumn === null ? 'Address' : (names[addressColumn] ?? 'Address'),
      // Leaves room for the result next to it on a phone.
      width: 'minmax(min(13rem, 34vw), 1.5fr)',
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
        width: 'clamp(8.5rem, 36vw, 11.5rem)',
        cell: row => <RowResult row={row} isFinal={isFinal} />,
      },
      { id: 'why', header: 'Reason', width: 'minmax(13rem, 1.5fr)', cell: why },
      {
        id: 'provider',
        header: 'Mail provider',
        width: '10rem',
        cell: ({ verdict }) => (verdict?.mx_provider ? providerName(verdict.mx_provider) : ''),
      },
      {
        id: 'type',
        header: 'Type',
        width: '7rem',
        cell: ({ verdict }) => (verdict?.email_type ? emailTypeNames[verdict.email_type] : ''),
      },
    );
  }
  if (!isStarted) columns.push({ id: 'note', header: 'Note', width: 'minmax(13rem, 1fr)', cell: why });
  for (const position of positions) {
    columns.push({
      id: `own-${position}`,
      header: names[position] ?? '',
      width: '10rem',
      cell: row => cut(cellOf(row, position)),
    });
  }
  return columns;
}

/** The name of a row: its address, or the text in the address column. */
function nameOf(row: JobRow, addressColumn: number | null): string {
  return row.email ?? (cut(cellOf(row, addressColumn)) || '(blank)');
}

function cellOf({ cells }: JobRow, position: number | null): string {
  return position === null ? '' : (cells[position] ?? '');
}

function cut(text: string): string {
  return text.length > cellCharactersMax ? `${text.slice(0, cellCharactersMax)}…` : text;
}

function RowResult({ row, isFinal }: { readonly row: JobRow; readonly isFinal: boolean }) {
  if (row.verdict) return <ResultBadge result={row.verdict.result} />;
  return (
    <span className={styles.soft}>{row.email === null ? 'Blank' : isFinal ? 'No result' : 'Pending'}</span>
  );
}

/** Explains the result of a row in a few words; its details have the sentence. */
function why({ fault, verdict, is_duplicate: isDuplicate }: JobRow): string {
  if (fault !== null) return faultSentence(fault);
  const name = verdict ? reasonName(verdict.reason) : '';
  if (!isDuplicate) return name;
  return name === '' ? 'Duplicate' : `Duplicate: ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

interface FiltersProps {
  readonly job: Job;
  readonly show: Shown | undefined;
  readonly onShow: (show: Shown | undefined) => void;
}

/** The filters for the rows; filters without any rows are hidden. */
function Filters({ job, show, onShow }: FiltersProps) {
  const offered: readonly Shown[] = job.started_at ? filters.started : filters.ready;
  const choices = [undefined, ...offered.filter(each => each === show || shownCount(job, each) > 0)];
  return (
    <fieldset className={styles.chips}>
      <legend className="visually-hidden">Filter rows</legend>
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

interface ColumnChooserProps {
  readonly job: Job;
  readonly seen: readonly number[];
  /** Receives the positions, separated by dashes. */
  readonly onChoose: (columns: string) => void;
}

/** Chooses the columns of the list that are shown next to the results. */
function ColumnChooser({ job, seen, onChoose }: ColumnChooserProps) {
  const [isOpen, setOpen] = useState(false);
  const positions = [...job.columns.keys()].filter(position => position !== job.address_column);
  if (positions.length === 0) return null;
  function toggle(position: number, isSeen: boolean) {
    onChoose(positions.filter(each => (each === position ? isSeen : seen.includes(each))).join('-'));
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Columns3 size={16} aria-hidden />
        Columns ({formatNumber(seen.length)} of {formatNumber(positions.length)})
      </Button>
      <Dialog
        title="Columns of your list"
        lead="Columns shown next to the results."
        open={isOpen}
        onOpenChange={setOpen}
      >
        <div className={styles.choices}>
          {positions.map(position => (
            <Checkbox
              key={position}
              label={job.columns[position]?.name}
              checked={seen.includes(position)}
              onChange={({ target }) => toggle(position, target.checked)}
            />
          ))}
        </div>
      </Dialog>
    </>
  );
}
