import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

export class MailproofApi implements ICredentialType {
  name = 'mailproofApi';

  displayName = 'Mailproof API';

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://mailproof.example',
      description:
        'The URL of your Mailproof installation, without a path. It serves its documentation below /docs.',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { 'X-Api-Key': '={{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl}}', url: '/api/v1/validation-jobs', qs: { limit: 1 } },
  };
}
