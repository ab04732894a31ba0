import { tableFeatures, useTable } from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, type ReactNode, useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { classes } from './classes.ts';
import styles from './table.module.css';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** As a track of a CSS grid; a share of what is left unless it is said. */
  readonly width?: string;
  /** Numbers stand at the end. */
  readonly align?: 'end';
  readonly cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  /** What is listed, for screen readers. */
  readonly name: string;
  /** Kept between renders, as by a constant or `useMemo`. */
  readonly columns: readonly Column<Row>[];
}

/*
 * Both tables are laid out as grids, by which they would lose their roles in some browsers: so the roles are said. What
 * scrolls takes the focus, so that it can be scrolled by keyboard.
 */
const features = tableFeatures({});
const rowHeightPx = 44;
const overscan = 12;

/** A list of things that share their facts; it scrolls sideways where it is too wide. */
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

/** Rows that come as they are seen. */
export interface VirtualRows<Row> {
  /** Rows that there are, fetched or not. */
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly hasMore?: boolean;
  /** A row by its position from 0; undefined as long as it has not been fetched. */
  readonly rowAt: (index: number) => Row | undefined;
  /** Is told which positions are seen, so that they can be fetched. */
  readonly onSeen: (first: number, last: number) => void;
}

interface VirtualTableProps<Row> extends TableProps<Row>, VirtualRows<Row> {}

/** A list of as many rows as one likes, of which those that are seen are there. Each is one line high. */
export function VirtualTable<Row extends object>(props: VirtualTableProps<Row>) {
  const { name, columns, count, hasMore, rowAt, onSeen } = props;
  const frame = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeightPx,
    overscan,
    // Steps of scrolling that come in one frame are drawn together.
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
  /** Where it begins, in pixels from the first. */
  readonly start: number;
  readonly row: Row | undefined;
  readonly columns: readonly Column<Row>[];
}

/** Each step of scrolling brings some rows and leaves the others as they were: those are not drawn again. */
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
            {column.header}
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
