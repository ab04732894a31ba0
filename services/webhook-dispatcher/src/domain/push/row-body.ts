import { type ExportedValue, limits } from '@mailproof/shared-types';

/**
 * A row as one JSON object, its members in the order of the columns. It is written member by member: an object would put
 * names such as `2019` first, and lose one called `__proto__`. Undefined when it has more octets than a row may have.
 */
export function writeRowBody(
  columns: readonly string[],
  values: readonly ExportedValue[],
): string | undefined {
  const members = columns.map((name, at) => `${JSON.stringify(name)}:${JSON.stringify(values[at] ?? null)}`);
  const body = `{${members.join(',')}}`;
  return Buffer.byteLength(body) <= limits.webhookBodyBytesMax ? body : undefined;
}
