import { composeLists } from '../../compose/validation.ts';
import { loadValidationConfig } from '../../config.ts';
import { judgeList } from '../../domain/lists/judge-list.ts';
import type { ListPorts } from '../../domain/lists/list-kinds.ts';
import { type ListId, type ListKind, listKinds } from '../../domain/lists/list-kinds.ts';
import { readList } from '../../domain/lists/read-list.ts';
import { exitCodes, paint, printable, type Terminal, UsageError, write } from '../terminal.ts';
import {
  findSource,
  listBounds,
  readSource,
  type Source,
  SourceError,
  type SourceReader,
} from './read-source.ts';

export type RefreshListsOptions = { readonly [Id in ListId]?: string } & {
  readonly force?: true;
  readonly dryRun?: true;
};

interface Download {
  readonly kind: ListKind;
  /** As the operator gave it, without its query, which may contain a secret. */
  readonly named: string;
  readonly source: Source;
}

type Refreshed = { readonly good: boolean; readonly line: string };

/** Fetches lists, judges them, and writes those that pass. A list that fails does not hold back the others. */
export async function runRefreshLists(options: RefreshListsOptions, terminal: Terminal): Promise<number> {
  const { stdout, stderr, environment, workingDirectory, signal } = terminal;
  const config = loadValidationConfig(environment);
  const dir = config.VALIDATION_LISTS_DIR;
  if (dir === undefined) {
    throw new UsageError(
      'Set VALIDATION_LISTS_DIR to the folder for the lists; the engine reads them there.',
    );
  }
  const downloads = findDownloads(options, workingDirectory);
  const ports = { ...composeLists(config, dir, listBounds), signal };
  let allGood = true;
  for (const download of downloads) {
    await write(stderr, `${download.kind.id}: reading ${printable(download.named)}\n`);
    const { good, line } = await refresh(download, options, ports);
    if (signal.aborted && !good) {
      await write(stderr, 'Interrupted; lists not reported above are unchanged.\n');
      return exitCodes.interrupted;
    }
    const mark = paint(good ? 'ok     ' : 'refused', good ? 'green' : 'red', stdout, environment);
    await write(stdout, `${mark}  ${download.kind.id.padEnd(10)}  ${printable(line)}\n`);
    allGood &&= good;
  }
  if (allGood && options.dryRun === undefined) {
    await write(stderr, 'Engines load the lists at their next start.\n');
  }
  return allGood ? exitCodes.good : exitCodes.bad;
}

/** The named lists, or all published ones if none was named. */
function findDownloads(options: RefreshListsOptions, workingDirectory: string): Download[] {
  const named = listKinds.filter(({ id }) => options[id] !== undefined);
  const kinds = named.length > 0 ? named : listKinds.filter(({ publishedAt }) => publishedAt !== undefined);
  return kinds.map(kind => {
    const name = options[kind.id] ?? kind.publishedAt ?? '';
    const source = findSource(name, workingDirectory);
    if ('fault' in source) {
      throw new UsageError(`--${kind.id} ${source.fault}.`);
    }
    return { kind, named: 'url' in source ? `${source.url.origin}${source.url.pathname}` : name, source };
  });
}

async function refresh(
  { kind, named, source }: Download,
  { force, dryRun }: RefreshListsOptions,
  ports: ListPorts & SourceReader,
): Promise<Refreshed> {
  try {
    const list = readList(await readSource(source, ports), kind);
    const judgment = judgeList(kind, ports.folder.inUse(kind.id), list, force === true);
    if (!judgment.accepted) {
      return { good: false, line: judgment.fault };
    }
    const { added, removed } = judgment.change;
    const passedOver = list.faults.length > 0 ? `, ${list.faults.length} unreadable lines skipped` : '';
    const counts = `${list.names.size} ${kind.names}: ${added} added, ${removed} removed${passedOver}`;
    if (dryRun) {
      return { good: true, line: `${counts}; nothing written` };
    }
    const origin = `Read by pnpm refresh-lists from ${printable(named)} at ${new Date().toISOString()}.`;
    return { good: true, line: `${counts}; in ${await ports.folder.write(kind.id, list.names, origin)}` };
  } catch (error) {
    if (error instanceof SourceError) {
      return { good: false, line: error.message };
    }
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) {
      return { good: false, line: `Writing failed: ${message}.` };
    }
    throw error;
  }
}
