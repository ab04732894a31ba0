import { Router } from 'express';
import { z } from 'zod';
import { CallRefused, invalid, notFound } from './answers.ts';
import { parseBody } from './batch-routes.ts';
import type { Portal } from './portal.ts';
import { groupOf, type PropertyDescription } from './property-catalog.ts';

const uniquePropertiesMax = 10;

const propertyBody = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/),
  label: z.string().min(1),
  type: z.enum(['string', 'number', 'bool', 'enumeration', 'date', 'datetime']),
  fieldType: z.string(),
  groupName: z.string(),
  description: z.string().optional(),
  options: z.array(z.object({ value: z.string(), label: z.string() })).default([]),
  hasUniqueValue: z.boolean().default(false),
  hidden: z.boolean().default(false),
  formField: z.boolean().optional(),
});

/** Routes for the properties of each kind of record. */
export function propertyRoutes(portal: Portal): Router {
  const router = Router();

  router.get('/:objectType', (request, response) => {
    const { properties } = portal.records(request.params.objectType);
    response.json({ results: [...properties.values()].map(shownProperty) });
  });

  router.get('/:objectType/:name', (request, response) => {
    const property = portal.records(request.params.objectType).properties.get(request.params.name);
    if (property === undefined) {
      throw notFound(`Property ${request.params.name} does not exist.`);
    }
    response.json(shownProperty(property));
  });

  router.post('/:objectType', (request, response) => {
    const records = portal.records(request.params.objectType);
    const body = parseBody(propertyBody, request);
    if (body.groupName !== groupOf[records.objectType]) {
      throw invalid(`Property group ${body.groupName} does not exist.`);
    }
    if (records.properties.has(body.name)) {
      throw new CallRefused(409, {
        category: 'OBJECT_ALREADY_EXISTS',
        message: `A property named '${body.name}' already exists.`,
        subCategory: 'Properties.PROPERTY_EXISTS',
        context: { name: [body.name] },
      });
    }
    const own = [...records.properties.values()].filter(property => property.hasUniqueValue);
    if (body.hasUniqueValue && own.length >= uniquePropertiesMax) {
      throw invalid(`There can be at most ${uniquePropertiesMax} properties with unique values.`);
    }
    const { description: _, formField: __, ...described } = body;
    const property: PropertyDescription = { ...described, readOnlyValue: false, hubspotDefined: false };
    records.addProperty(property);
    response.status(201).json(shownProperty(property));
  });

  return router;
}

function shownProperty({ readOnlyValue, ...property }: PropertyDescription) {
  return {
    ...property,
    description: '',
    displayOrder: -1,
    calculated: false,
    externalOptions: false,
    archived: false,
    formField: true,
    options: property.options.map((option, displayOrder) => ({ ...option, displayOrder, hidden: false })),
    modificationMetadata: {
      archivable: !property.hubspotDefined,
      readOnlyDefinition: property.hubspotDefined,
      readOnlyValue,
    },
  };
}
