import { Router } from 'express';
import { z } from 'zod';
import { ApiError, notFound } from './api-error.ts';
import { type FieldDescription, field } from './fields.ts';
import type { Organization } from './organization.ts';
import { createRecord, type InputRecord, readValues } from './save-records.ts';

const described = {
  label: z.string().min(1).max(40),
  description: z.string().max(1_000).optional(),
  inlineHelpText: z.string().max(510).optional(),
};

/** Only the types that are used are simulated. */
const customField = z.object({
  FullName: z.string().regex(/^\w+\.[A-Za-z]\w*__c$/),
  Metadata: z.discriminatedUnion('type', [
    z.strictObject({
      ...described,
      type: z.literal('Text'),
      length: z.int().min(1).max(255),
      externalId: z.boolean().default(false),
      unique: z.boolean().default(false),
      caseSensitive: z.boolean().default(false),
      required: z.literal(false).default(false),
    }),
    // Salesforce requires the default value of a checkbox.
    z.strictObject({ ...described, type: z.literal('Checkbox'), defaultValue: z.enum(['true', 'false']) }),
    z.strictObject({ ...described, type: z.literal('DateTime') }),
  ]),
});

function fieldOf(name: string, metadata: z.output<typeof customField>['Metadata']): FieldDescription {
  const { label } = metadata;
  switch (metadata.type) {
    case 'Checkbox':
      return field(name, label, 'boolean', { nillable: false, defaultedOnCreate: true });
    case 'DateTime':
      return field(name, label, 'datetime');
    case 'Text': {
      const { length, externalId, unique, caseSensitive } = metadata;
      const text = { length, externalId, unique, caseSensitive, idLookup: externalId };
      return field(name, label, 'string', text);
    }
  }
}

/** Routes for the Tooling API's custom fields, and the permission sets that let users see them. */
export function setupRoutes(organization: Organization): Router {
  const router = Router();
  router.post('/tooling/sobjects/CustomField', (request, response) => {
    if (!organization.permissions.customizesApplication) {
      throw new ApiError(400, 'INVALID_TYPE', "sObject type 'CustomField' is not supported.");
    }
    const body = customField.safeParse(request.body);
    if (!body.success) {
      throw new ApiError(400, 'JSON_PARSER_ERROR', 'The custom field is not one that is simulated');
    }
    const { FullName, Metadata } = body.data;
    const [object = '', name = ''] = FullName.split('.');
    organization.addField(organization.object(object).name, fieldOf(name, Metadata), true);
    response
      .status(201)
      .json({ id: organization.newId('00N'), success: true, errors: [], warnings: [], infos: [] });
  });
  router.post('/sobjects/:object', (request, response) => {
    const object = organization.object(request.params.object);
    if (!object.isSetup) {
      throw notFound();
    }
    if (!organization.permissions.managesPermissionSets) {
      throw new ApiError(
        403,
        'INSUFFICIENT_ACCESS_OR_READONLY',
        'insufficient access rights on cross-reference id',
      );
    }
    const values = readValues(organization, object, (request.body ?? {}) as InputRecord);
    const result = createRecord(organization, object, values, () => undefined);
    const [error] = result.errors;
    if (error) {
      response
        .status(400)
        .json([{ message: error.message, errorCode: error.statusCode, fields: error.fields }]);
    } else {
      response.status(201).json(result);
    }
  });
  return router;
}
