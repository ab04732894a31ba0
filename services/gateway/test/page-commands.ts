/** A request that a page shows as a curl command. */
export interface PageCommand {
  readonly line: string;
  readonly method: string;
  /** The path after `/api/v1`, including the page's variables. */
  readonly path: string;
  /** The request headers, including the page's variables. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request body: text, or the name of a file. */
  readonly data: string | undefined;
  readonly file: string | undefined;
}

/** The curl commands of a page, in order. */
export function commandsOf(page: string): PageCommand[] {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap(block => block.trim().split('\n'))
    .filter(line => line.startsWith('curl '))
    .map(line => {
      // A variable in the data is outside the quotes: '…'$JOB'…'.
      const data = /-d '((?:[^']|'\$\w+')*)'/.exec(line)?.[1]?.replace(/'(\$\w+)'/g, '$1');
      const file = /--data-binary @(\S+)/.exec(line)?.[1];
      const sends = data !== undefined || file !== undefined;
      const headers = [...line.matchAll(/-H (['"])([^:]+): (.+?)\1/g)].map(
        ([, , name = '', value = '']) => [name, value] as const,
      );
      return {
        line,
        method: /-X (\w+)/.exec(line)?.[1] ?? (sends ? 'POST' : 'GET'),
        path: line.split(' ').at(-1)?.replaceAll('"', '').replace('$API', '') ?? '',
        headers: Object.fromEntries(headers),
        data,
        file,
      };
    });
}

/** The code blocks of a page in a language, in order. */
export function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );
}

/** The environment of a reader who has followed "Set the URL and the key". */
export interface PageEnvironment {
  readonly url: string;
  readonly apiKey: string;
}

/**
 * Sends a command's request, with variables and files filled in; returns the status and the text. The key is sent only
 * where the command sends it.
 */
export async function runPageCommand(
  { url, apiKey }: PageEnvironment,
  { path, method, headers, data, file }: PageCommand,
  fill: (text: string) => string,
  files: Readonly<Record<string, string | Buffer<ArrayBuffer>>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const body = file === undefined ? data && fill(data) : files[file];
  const sent = Object.entries(headers).map(
    ([name, value]) => [name, value.replace('$MAILPROOF_API_KEY', apiKey)] as [string, string],
  );
  const response = await fetch(`${url}/api/v1${fill(path)}`, {
    method,
    headers: sent,
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, text: await response.text() };
}
