import { type IDataObject, type IExecuteFunctions, jsonParse, NodeOperationError } from 'n8n-workflow';
import { readRows, send, wait } from './requests';

type Operation = (context: IExecuteFunctions, item: number) => Promise<IDataObject[]>;

const text = (context: IExecuteFunctions, name: string, item: number) =>
  String(context.getNodeParameter(name, item)).trim();
const inPath = (context: IExecuteFunctions, name: string, item: number) =>
  encodeURIComponent(text(context, name, item));

/** What the node does for each item, by resource and operation; an upload takes all items at once. */
export const operations: Readonly<Record<string, Operation>> = {
  'address.validate': async (context, item) => [
    await send(context, item, {
      method: 'POST',
      path: '/validate-single-email',
      qs: { details: true },
      body: { email: text(context, 'email', item) },
      charges: true,
    }),
  ],

  'list.wait': async (context, item) => [
    await wait(context, item, `/validation-jobs/${inPath(context, 'jobId', item)}`),
  ],

  'list.getResults': async (context, item) => {
    const result = text(context, 'result', item);
    return readRows(context, item, {
      path: `/validation-jobs/${inPath(context, 'jobId', item)}/rows`,
      qs: result === 'all' ? {} : { result },
      member: 'rows',
    });
  },

  'profile.enrich': async (context, item) => [
    await send(context, item, {
      method: 'POST',
      path: '/profile-enrichment',
      body: { profile_url: text(context, 'profileUrl', item) },
      charges: true,
    }),
  ],

  'person.search': (context, item) => search(context, item, 'people-searches', 'people'),

  'person.save': (context, item) => save(context, item, 'people-searches', 'people'),

  'company.search': (context, item) => search(context, item, 'company-searches', 'companies'),

  'company.findSimilar': async (context, item) => {
    const seeds = text(context, 'seedDomains', item).split(/[\s,;]+/);
    const seedText = text(context, 'seedText', item);
    const found = await send(context, item, {
      method: 'POST',
      path: '/lookalike-searches',
      body: {
        name: text(context, 'name', item),
        seed_domains: seeds.filter(seed => seed !== ''),
        ...(seedText !== '' && { seed_text: seedText }),
      },
      charges: true,
    });
    const { search_id, expected, preview } = found as IDataObject & {
      expected: IDataObject | null;
      preview: IDataObject[];
    };
    return preview.map(company => ({ search_id, total: expected?.matches ?? null, ...company }));
  },

  'company.save': (context, item) =>
    save(context, item, text(context, 'searchKind', item) as 'company-searches', 'companies'),
};

/** Begins a search by filters, and returns its first records. */
async function search(
  context: IExecuteFunctions,
  item: number,
  searches: 'people-searches' | 'company-searches',
  member: 'people' | 'companies',
): Promise<IDataObject[]> {
  const given = context.getNodeParameter('filters', item) as string | IDataObject;
  const filters = typeof given === 'string' ? jsonParse<IDataObject>(given) : given;
  const found = await send(context, item, {
    method: 'POST',
    path: `/${searches}`,
    body: { name: text(context, 'name', item), filters },
    charges: true,
  });
  const records = await readRows(context, item, {
    path: `/${searches}/${found.search_id}/${member}`,
    member,
  });
  return records.map(record => ({ search_id: found.search_id, total: found.total, ...record }));
}

/** Saves records of a search, waits, and returns them. */
async function save(
  context: IExecuteFunctions,
  item: number,
  searches: 'people-searches' | 'company-searches' | 'lookalike-searches',
  member: 'people' | 'companies',
): Promise<IDataObject[]> {
  const run = await send(context, item, {
    method: 'POST',
    path: `/${searches}/${inPath(context, 'searchId', item)}/runs`,
    body: { [member]: context.getNodeParameter(member, item) as number },
    charges: true,
  });
  const ended = await wait(context, item, `/discovery-runs/${run.run_id}`);
  if (ended.state === 'failed') {
    const failed = `The run failed: ${JSON.stringify(ended.failure)}`;
    throw new NodeOperationError(context.getNode(), failed, { itemIndex: item });
  }
  const qs = { run_id: String(run.run_id) };
  return readRows(context, item, { path: `/saved-${member}`, qs, member });
}

/**
 * Uploads the addresses of all items as one list, starts it unless told otherwise, and returns the job. A repeated
 * attempt of the same execution gets the job of the first, so that nothing is charged twice.
 */
export async function uploadList(context: IExecuteFunctions, items: number): Promise<IDataObject> {
  const rows = Array.from({ length: items }, (_, item) => ({
    email: context.getNodeParameter('email', item),
    item,
  }));
  const name = text(context, 'name', 0);
  const body = rows.map(row => `${JSON.stringify(row)}\n`).join('');
  const upload = { method: 'POST', path: '/validation-jobs', qs: { name }, body, charges: true } as const;
  const job = await send(context, 0, upload);
  if (!context.getNodeParameter('start', 0)) return job;
  return send(context, 0, { method: 'POST', path: `/validation-jobs/${job.job_id}/start`, charges: true });
}
