import type {
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
} from 'n8n-workflow';
import { fields } from './fields';
import { operations, uploadList } from './operations';

export class Mailproof implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Mailproof',
    name: 'mailproof',
    icon: 'file:mailproof.svg',
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Validate email addresses and lists, enrich profiles, and find people and companies',
    defaults: { name: 'Mailproof' },
    usableAsTool: true,
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'mailproofApi', required: true }],
    properties: fields,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const items = this.getInputData();
    const named = `${this.getNodeParameter('resource', 0)}.${this.getNodeParameter('operation', 0)}`;
    if (named === 'list.upload') {
      const pairedItem = items.map((_, item) => ({ item }));
      return [[{ json: await uploadList(this, items.length), pairedItem }]];
    }
    const made: INodeExecutionData[] = [];
    for (const item of items.keys()) {
      try {
        const rows: IDataObject[] = (await operations[named]?.(this, item)) ?? [];
        made.push(...rows.map(json => ({ json, pairedItem: { item } })));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        made.push({ json: { error: (error as Error).message }, pairedItem: { item } });
      }
    }
    return [made];
  }
}
