import { cpus, loadavg } from 'node:os';

/** Formats a Markdown table that is also readable in a terminal. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map(row => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(header), `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join(
    '\n',
  );
}

/** Says when and on which machine something was measured, without which figures mean little. */
export function circumstances(startedAt: Date): string {
  const [load = 0] = loadavg();
  const day = startedAt.toISOString().slice(0, 10);
  const processors = `${cpus().length} processors (${cpus()[0]?.model.trim() ?? 'unknown'})`;
  return `Measured on ${day} on ${processors} with Node ${process.version}; the load of the machine at the end was ${load.toFixed(1)}.`;
}
