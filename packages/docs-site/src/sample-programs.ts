import type { Body, Example } from './request-examples.ts';

/** How a client of the document authenticates; the SDKs exist for API keys. */
export type Client = 'key' | 'session';

export function curl(
  { method, path, inQuery, body, operation }: Example,
  server: string,
  client: Client,
): string {
  const query = new URLSearchParams(inQuery as Record<string, string>);
  const search = query.size > 0 ? `?${query}` : '';
  const address = `$MAILPROOF_URL${server}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}`;
  const isPublic = operation.security?.length === 0;
  const credential = client === 'key' ? '-H "X-Api-Key: $MAILPROOF_API_KEY"' : '--cookie session.txt';
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${address}${search}"`,
    ...(isPublic ? [] : [credential]),
    ...(body ? [`-H 'Content-Type: ${body.mediaType}'`, `--data-binary ${quoted(textOf(body.value))}`] : []),
  ].join(' \\\n  ');
}

export function typescript({ method, path, inPath, inQuery, body, isJson }: Example): string {
  const program = (statement: string) =>
    [
      "import { Mailproof } from '@mailproof/sdk';",
      '',
      "const { MAILPROOF_URL: baseUrl = '', MAILPROOF_API_KEY: apiKey = '' } = process.env;",
      'const mailproof = new Mailproof({ baseUrl, apiKey });',
      statement,
    ].join('\n');
  if (!isJson) return program(`const stream = await mailproof.stream('${filled(path, inPath)}');`);
  const params = {
    ...(Object.keys(inPath).length > 0 && { path: inPath }),
    ...(Object.keys(inQuery).length > 0 && { query: inQuery }),
  };
  const init = [
    ...(Object.keys(params).length > 0 ? [`params: ${literal(params)}`] : []),
    ...(body ? [`body: ${literal(body.value)}`] : []),
    // Otherwise the text would be sent as a string of JSON.
    ...(typeof body?.value === 'string'
      ? ['bodySerializer: text => text', `headers: { 'Content-Type': '${body.mediaType}' }`]
      : []),
  ].map(each => `  ${each.replaceAll('\n', '\n  ')},\n`);
  const given = init.length > 0 ? `, {\n${init.join('')}}` : '';
  return program(
    `const answer = await mailproof.send('${method}', '${path}'${given});\nconsole.log(answer);`,
  );
}

export function python({ path, operation, inPath, inQuery, body, isJson }: Example): string {
  const names = [
    'Mailproof',
    ...(isJson ? ['api'] : []),
    ...(isJson && body ? [isText(body) ? 'File' : 'models'] : []),
  ];
  const program = (...statements: readonly string[]) =>
    [
      ...(isJson && body && isText(body) ? ['import io'] : []),
      'import os',
      '',
      `from mailproof import ${names.sort().join(', ')}`,
      '',
      'with Mailproof(os.environ["MAILPROOF_URL"], os.environ["MAILPROOF_API_KEY"]) as mailproof:',
      ...statements.map(statement => `    ${statement.replaceAll('\n', '\n    ')}`),
    ].join('\n');
  if (!isJson) {
    const stream = `with mailproof.stream("${filled(path, inPath)}") as chunks:`;
    return program(stream, '    for chunk in chunks:', '        print(chunk)');
  }
  const given = [
    ...Object.values(inPath).map(value => JSON.stringify(value)),
    ...Object.entries(inQuery).map(([name, value]) => `${pythonName(name)}=${pythonValue(value)}`),
    ...(body ? ['body=body'] : []),
  ];
  const call = `api.${operation.operationId.replaceAll('-', '_')}(${given.join(', ')})`;
  return program(
    ...(body ? [`body = ${pythonBody(operation.operationId, body)}`] : []),
    `answer = mailproof.send(${call})`,
    'print(answer)',
  );
}

function pythonBody(operationId: string, body: Body): string {
  if (isText(body)) return `File(payload=io.BytesIO(${pythonValue(body.value)}.encode()))`;
  const ofOperation = `${operationId.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Body`;
  return `models.${body.model ?? ofOperation}.from_dict(${pythonValue(body.value)})`;
}

/** Keywords of Python, and names of its builtins that a parameter is likely to have. */
const pythonWords = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield ' +
    'all any filter format hash input iter len list map max min next object range set slice sum type'
  ).split(' '),
);

/** The generator of the SDK puts an underscore behind names that Python has already. */
function pythonName(name: string): string {
  return pythonWords.has(name) ? `${name}_` : name;
}

function isText({ value }: Body): boolean {
  return typeof value === 'string';
}

function filled(path: string, inPath: Example['inPath']): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => inPath[name] ?? '');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A literal of TypeScript, without quotes around names that need none. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/"([A-Za-z_]\w*)":/g, '$1:')
    .replace(/"([^"'\\]*)"/g, "'$1'");
}

function pythonValue(value: unknown): string {
  return JSON.stringify(value, null, 4).replace(/\b(true|false|null)\b(?=,?$)/gm, word =>
    word === 'null' ? 'None' : `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  );
}
