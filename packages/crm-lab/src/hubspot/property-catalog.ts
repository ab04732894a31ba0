/** A property of a kind of record, as HubSpot describes it. */
export interface PropertyDescription {
  readonly name: string;
  readonly label: string;
  readonly type: 'string' | 'number' | 'bool' | 'enumeration' | 'date' | 'datetime' | 'phone_number';
  readonly fieldType: string;
  readonly groupName: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly hasUniqueValue: boolean;
  readonly readOnlyValue: boolean;
  readonly hidden: boolean;
  readonly hubspotDefined: boolean;
}

export type ObjectType = 'contacts' | 'companies';

/** HubSpot's ids of its standard object types; lists refer to types by them. */
export const objectTypeIds: Readonly<Record<ObjectType, string>> = { contacts: '0-1', companies: '0-2' };

export const groupOf: Readonly<Record<ObjectType, string>> = {
  contacts: 'contactinformation',
  companies: 'companyinformation',
};

/** Some of the properties that every account has. */
export function defaultProperties(objectType: ObjectType): PropertyDescription[] {
  const property = (
    name: string,
    label: string,
    type: PropertyDescription['type'] = 'string',
    more: Partial<PropertyDescription> = {},
  ): PropertyDescription => ({
    name,
    label,
    type,
    fieldType: fieldTypes[type],
    groupName: groupOf[objectType],
    options: [],
    hasUniqueValue: false,
    readOnlyValue: false,
    hidden: false,
    hubspotDefined: true,
    ...more,
  });
  const kept = [
    property('hs_object_id', 'Record ID', 'number', { readOnlyValue: true }),
    property('createdate', 'Create Date', 'datetime', { readOnlyValue: true }),
    property('hs_lastmodifieddate', 'Last Modified Date', 'datetime', { readOnlyValue: true }),
    property('lifecyclestage', 'Lifecycle Stage', 'enumeration', { fieldType: 'radio', options: stages }),
    property('phone', 'Phone Number'),
    property('city', 'City'),
    property('country', 'Country/Region'),
    property('website', 'Website URL'),
    property('hs_internal_note', 'Internal', 'string', { hidden: true }),
  ];
  return objectType === 'contacts'
    ? [
        ...kept,
        property('email', 'Email'),
        property('hs_additional_emails', 'Additional email addresses', 'enumeration', {
          fieldType: 'checkbox',
        }),
        property('firstname', 'First Name'),
        property('lastname', 'Last Name'),
        property('jobtitle', 'Job Title'),
        property('company', 'Company Name'),
        property('hs_linkedin_url', 'LinkedIn URL'),
        property('hs_lead_status', 'Lead Status', 'enumeration', {
          fieldType: 'radio',
          options: leadStatuses,
        }),
        property('hs_email_optout', 'Unsubscribed from all email', 'bool', { options: yesAndNo }),
        property('date_of_birth', 'Date of birth'),
        property('num_employees', 'Number of Employees', 'number'),
        property('closedate', 'Close Date', 'datetime'),
      ]
    : [
        ...kept,
        property('name', 'Company name'),
        property('domain', 'Company Domain Name'),
        property('description', 'Description', 'string', { fieldType: 'textarea' }),
        property('industry', 'Industry', 'enumeration', { fieldType: 'select', options: industries }),
        property('numberofemployees', 'Number of Employees', 'number'),
        property('annualrevenue', 'Annual Revenue', 'number'),
        property('founded_year', 'Year Founded'),
        property('is_public', 'Is Public', 'bool', { options: yesAndNo }),
      ];
}

const fieldTypes: Readonly<Record<PropertyDescription['type'], string>> = {
  string: 'text',
  number: 'number',
  bool: 'booleancheckbox',
  enumeration: 'select',
  date: 'date',
  datetime: 'date',
  phone_number: 'phonenumber',
};

const yesAndNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

const stages = [
  { value: 'subscriber', label: 'Subscriber' },
  { value: 'lead', label: 'Lead' },
  { value: 'customer', label: 'Customer' },
];

const leadStatuses = [
  { value: 'NEW', label: 'New' },
  { value: 'OPEN', label: 'Open' },
  { value: 'UNQUALIFIED', label: 'Unqualified' },
];

const industries = [
  { value: 'COMPUTER_SOFTWARE', label: 'Computer Software' },
  { value: 'MACHINERY', label: 'Machinery' },
  { value: 'RETAIL', label: 'Retail' },
];
