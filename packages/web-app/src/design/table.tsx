import { tableFeatures, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, type ReactNode, useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { classes } from './looks.ts';
import styles from './table.module.css';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** Shown in the head in place of `header`, such as a control. */
  readonly heading?: ReactNode;
  /** The width as a CSS grid track; by default, a share of the remaining width. */
  readonly width?: string;
  /** Alignment; use `end` for numbers. */
  readonly align?: 'end';
  readonly cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  /** The name of the table, for screen readers. */
  readonly name: string;
  /** Must be stable between renders, for example a constant or from `useMemo`. */
  readonly columns: readonly Column<Row>[];
}

/*
 * Both tables use a grid layout, with which some browsers drop the table roles, so the roles are explicit. Scrolling
 * areas are focusable, so that they can be scrolled by keyboard.
 */
const features = tableFeatures({});
const rowHeightPx = 44;
const overscan = 12;

/** A table that scrolls horizontally if it is too wide. */
export function DataTable<Row extends object>({
  name,
  columns,
  rows,
  rowId,
}: TableProps<Row> & { readonly rows: readonly Row[]; readonly rowId: (row: Row) => string }) {
  const table = useGivenTable(columns, rows, rowId);
  return (
    <section className={styles.frame} aria-label={name} tabIndex={0}>
      <table role="table" className={styles.table} style={tracks(columns)}>
        <Head columns={columns} />
        <tbody role="rowgroup" className={styles.body}>
          {table.getRowModel().rows.map(row => (
            <tr key={row.id} role="row" className={styles.row}>
              {row.getAllCells().map((cell, index) => (
                <td key={cell.id} role="cell" className={cellClass(columns[index])}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Rows that are loaded when they become visible. */
export interface VirtualRows<Row> {
  /** The number of rows, fetched or not. */
  readonly count: number;
  /** Whether there are more rows than `count`. */
  readonly hasMore?: boolean;
  /** Returns the row at a position, counted from 0; undefined until the row has been fetched. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Receives the visible positions, so that their rows can be fetched. */
  readonly onSeen: (first: number, last: number) => void;
}

interface VirtualTableProps<Row> extends TableProps<Row>, VirtualRows<Row> {}

/** A table of any number of rows, of which only the visible ones are rendered. Each row is one line high. */
export function VirtualTable<Row extends object>(props: VirtualTableProps<Row>) {
  const { name, columns, count, hasMore, rowAt, onSeen } = props;
  const frame = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeightPx,
    overscan,
    // Renders all scroll events of one frame together.
    useFlushSync: false,
  });
  const seen = virtualizer.getVirtualItems();
  const first = seen[0]?.index ?? 0;
  const last = seen.at(-1)?.index ?? 0;
  const tell = useEffectEvent(onSeen);
  useEffect(() => {
    if (count > 0) tell(first, last);
  }, [first, last, count]);
  return (
    <section ref={frame} className={classes(styles.frame, styles.virtual)} aria-label={name} tabIndex={0}>
      <table
        role="table"
        className={styles.table}
        style={tracks(columns)}
        aria-rowcount={hasMore ? -1 : count + 1}
      >
        <Head columns={columns} />
        <tbody role="rowgroup" className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
          {seen.map(({ index, start }) => (
            <VirtualRow key={index} index={index} start={start} row={rowAt(index)} columns={columns} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface VirtualRowProps<Row> {
  readonly index: number;
  /** The offset from the first row, in pixels. */
  readonly start: number;
  readonly row: Row | undefined;
  readonly columns: readonly Column<Row>[];
}

/** A memoized row: scrolling adds some rows, and the unchanged ones are not rendered again. */
const VirtualRow = memo(function VirtualRow<Row>({ index, start, row, columns }: VirtualRowProps<Row>) {
  return (
    <tr
      role="row"
      aria-rowindex={index + 2}
      className={classes(styles.row, styles.virtualRow)}
      style={{ transform: `translateY(${start}px)` }}
    >
      {columns.map(column => (
        <td key={column.id} role="cell" className={cellClass(column)}>
          {row === undefined ? <span className={styles.pending} /> : column.cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: VirtualRowProps<Row>) => ReactNode;

function useGivenTable<Row extends object>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  rowId: (row: Row) => string,
) {
  const definitions = useMemo(
    () =>
      columns.map(({ id, header, cell }) => ({
        id,
        header,
        cell: ({ row }: { row: { original: Row } }) => cell(row.original),
      })),
    [columns],
  );
  return useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowId,
  });
}

function Head<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <thead role="rowgroup" className={styles.head}>
      <tr role="row" className={styles.row} aria-rowindex={1}>
        {columns.map(column => (
          <th key={column.id} role="columnheader" className={cellClass(column)}>
            {column.heading ?? column.header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function tracks(columns: readonly Column<never>[]): CSSProperties {
  const template = columns.map(({ width }) => width ?? 'minmax(9rem, 1fr)').join(' ');
  return { '--columns': template } as CSSProperties;
}

function cellClass<Row>(column: Column<Row> | undefined): string {
  return classes(styles.cell, column?.align === 'end' && styles.end);
}

interface RowButtonProps {
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** The name of a row, as a button that opens its details. */
export function RowButton({ onClick, children }: RowButtonProps) {
  return (
    <button type="button" className={styles.rowButton} onClick={onClick} aria-haspopup="dialog">
      {children}
    </button>
  );
}

/** A domain as a link that opens its website in a new window. */
export function SiteLink({ domain }: { readonly domain: string | null }) {
  // Anything but a plain domain is shown without a link.
  if (domain === null || !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain)) return <span>{domain ?? '–'}</span>;
  return (
    <a href={`https://${domain}/`} target="_blank" rel="noopener noreferrer">
      {domain}
    </a>
  );
}

/** A URL from a source; it becomes a link only if it uses HTTPS. */
export function WebLink({ url }: { readonly url: string | null }) {
  if (url === null || !URL.canParse(url) || new URL(url).protocol !== 'https:')
    return <span>{url ?? '–'}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {url.replace(/^https:\/\/(www\.)?/, '').replace(/\/$/, '')}
    </a>
  );
}
