import type { HubSpotFault } from './answers.ts';
import type { ObjectType, PropertyDescription } from './property-catalog.ts';

/** HubSpot's error for one value. */
interface ValueFault {
  readonly isValid: false;
  readonly message: string;
  readonly error: string;
  readonly name: string;
  readonly localizedErrorMessage: string;
  readonly portalId: number;
}

/** The most characters in a text. */
const charactersMax = 65_536;

/** HubSpot's error for the values to write to a record, with every fault in one; undefined if all are valid. */
export function faultOfValues(
  values: Readonly<Record<string, string>>,
  properties: ReadonlyMap<string, PropertyDescription>,
  portalId: number,
): HubSpotFault | undefined {
  const faults = Object.entries(values).flatMap(([name, value]) => {
    const [error, message] = faultOfValue(name, value, properties.get(name)) ?? [];
    return error === undefined || message === undefined
      ? []
      : [
          {
            isValid: false,
            message,
            error,
            name,
            localizedErrorMessage: message,
            portalId,
          } satisfies ValueFault,
        ];
  });
  return faults.length === 0
    ? undefined
    : {
        category: 'VALIDATION_ERROR',
        message: `Property values were not valid: ${JSON.stringify(faults)}`,
      };
}

/** The value as HubSpot stores it. */
export function keptValue(objectType: ObjectType, name: string, value: string): string {
  if (objectType === 'contacts' && name === 'email') {
    return value.trim().toLowerCase();
  }
  if (objectType === 'companies' && name === 'domain') {
    return value
      .trim()
      .toLowerCase()
      .replace(/^https?:\/\//, '')
      .replace(/^www\./, '')
      .replace(/\/.*$/, '');
  }
  return value;
}

function faultOfValue(
  name: string,
  value: string,
  property: PropertyDescription | undefined,
): [error: string, message: string] | undefined {
  if (property === undefined) {
    return ['PROPERTY_DOESNT_EXIST', `Property "${name}" does not exist`];
  }
  if (property.readOnlyValue) {
    return ['READ_ONLY_VALUE', `"${name}" is a read only property; its value cannot be set.`];
  }
  if (value === '') {
    return undefined;
  }
  if (name === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) {
    return ['INVALID_EMAIL', `Email address ${value} is invalid`];
  }
  return faultOfTypedValue(value, property);
}

function faultOfTypedValue(
  value: string,
  { type, fieldType, options }: PropertyDescription,
): [error: string, message: string] | undefined {
  switch (type) {
    case 'number':
      return Number.isNaN(Number(value))
        ? ['INVALID_INTEGER', `${value} was not a valid number.`]
        : undefined;
    case 'bool':
      return value === 'true' || value === 'false'
        ? undefined
        : ['INVALID_OPTION', `${value} was not one of the allowed options: [true, false]`];
    case 'enumeration': {
      const chosen = fieldType === 'checkbox' ? value.split(';') : [value];
      return options.length === 0 || chosen.every(each => options.some(option => option.value === each))
        ? undefined
        : [
            'INVALID_OPTION',
            `${value} was not one of the allowed options: [${options.map(option => option.label).join(', ')}]`,
          ];
    }
    case 'date':
    case 'datetime':
      return /^\d+$/.test(value) || !Number.isNaN(Date.parse(value))
        ? undefined
        : ['INVALID_DATE', `${value} was not a valid date.`];
    default:
      return value.length > charactersMax
        ? ['PROPERTY_VALUE_TOO_LONG', `The value is longer than ${charactersMax} characters.`]
        : undefined;
  }
}
