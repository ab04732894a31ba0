import type {
  IDataObject,
  IHookFunctions,
  IHttpRequestMethods,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { isSigned } from './signature';

/** The endpoint that n8n has added to the account, and the secret of its signatures. */
interface Kept extends IDataObject {
  endpointId?: string;
  secret?: string;
}

const keptIn = (context: IHookFunctions | IWebhookFunctions): Kept => context.getWorkflowStaticData('node');

async function request(
  context: IHookFunctions,
  method: IHttpRequestMethods,
  path: string,
  body?: IDataObject,
) {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('mailproofApi');
  const url = `${baseUrl.replace(/\/+$/, '')}/api/v1/webhook-endpoints${path}`;
  const options = { method, url, json: true, timeout: 30_000, ...(body && { body }) };
  return (await context.helpers.httpRequestWithAuthentication.call(
    context,
    'mailproofApi',
    options,
  )) as IDataObject;
}

export class MailproofTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Mailproof Trigger',
    name: 'mailproofTrigger',
    icon: 'file:mailproof.svg',
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow when a list, an export or a run has ended, or when credits are low',
    defaults: { name: 'Mailproof Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'mailproofApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        default: ['validation_job.finished'],
        options: [
          { name: 'Credits Are Low', value: 'credits.low' },
          { name: 'CRM Import Finished', value: 'crm_import.finished' },
          { name: 'Export Finished', value: 'export.finished' },
          { name: 'List Finished', value: 'validation_job.finished' },
          { name: 'List Needs Credits', value: 'validation_job.needs_credits' },
          { name: 'People Import Finished', value: 'people_import.finished' },
          { name: 'Run Finished', value: 'discovery_run.finished' },
        ],
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const { endpointId } = keptIn(this);
        if (endpointId === undefined) return false;
        const { endpoints } = await request(this, 'GET', '');
        return (endpoints as { endpoint_id: string }[]).some(each => each.endpoint_id === endpointId);
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const made = await request(this, 'POST', '', {
          url: this.getNodeWebhookUrl('default'),
          event_types: this.getNodeParameter('events') as string[],
          description: 'n8n',
        });
        Object.assign(keptIn(this), { endpointId: made.endpoint_id, secret: made.signing_secret });
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const kept = keptIn(this);
        if (kept.endpointId !== undefined) {
          await request(this, 'DELETE', `/${kept.endpointId}`).catch(error => {
            // 404: a user has removed it in the application.
            if ((error as { httpCode?: string }).httpCode !== '404') throw error;
          });
        }
        delete kept.endpointId;
        delete kept.secret;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { rawBody, headers } = this.getRequestObject();
    const { secret } = keptIn(this);
    if (secret === undefined || !isSigned(rawBody, headers, secret, Date.now())) {
      this.getResponseObject().status(401).end();
      return { noWebhookResponse: true };
    }
    // An event that arrives twice has the same id.
    const event = { ...this.getBodyData(), id: headers['webhook-id'] };
    return { workflowData: [this.helpers.returnJsonArray([event])] };
  }
}
