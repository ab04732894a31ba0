import { choices, type FieldDescription, field, filledBySalesforce, required } from './fields.ts';

/** The simulated part of a kind of record. */
export interface ObjectDescription {
  readonly name: string;
  readonly label: string;
  readonly labelPlural: string;
  readonly keyPrefix: string;
  /** Objects that only the setup of an organization uses are neither listed nor described. */
  readonly isSetup: boolean;
  readonly fields: readonly FieldDescription[];
}

const industries = ['Agriculture', 'Banking', 'Consulting', 'Education', 'Technology'];
const salutations = ['Mr.', 'Ms.', 'Mrs.', 'Dr.', 'Prof.'];
const leadSources = ['Web', 'Phone Inquiry', 'Partner Referral', 'Purchased List', 'Other'];

const everyRecord: readonly FieldDescription[] = [
  field('Id', 'Record ID', 'id', { ...filledBySalesforce, length: 18, idLookup: true }),
  field('IsDeleted', 'Deleted', 'boolean', filledBySalesforce),
  field('CreatedDate', 'Created Date', 'datetime', filledBySalesforce),
  field('LastModifiedDate', 'Last Modified Date', 'datetime', filledBySalesforce),
  field('SystemModstamp', 'System Modstamp', 'datetime', filledBySalesforce),
];

const owner = field('OwnerId', 'Owner ID', 'reference', {
  length: 18,
  nillable: false,
  defaultedOnCreate: true,
  referenceTo: ['User'],
  relationshipName: 'Owner',
});

const person: readonly FieldDescription[] = [
  field('Salutation', 'Salutation', 'picklist', choices(...salutations)),
  field('FirstName', 'First Name', 'string', { length: 40 }),
  field('LastName', 'Last Name', 'string', { length: 80, ...required }),
  field('Name', 'Full Name', 'string', { ...filledBySalesforce, length: 121 }),
  field('Email', 'Email', 'email', { length: 80, idLookup: true }),
  field('Phone', 'Phone', 'phone', { length: 40 }),
  field('MobilePhone', 'Mobile Phone', 'phone', { length: 40 }),
  field('Title', 'Title', 'string', { length: 128 }),
  field('Description', 'Description', 'textarea', { length: 32_000, filterable: false, sortable: false }),
  field('LeadSource', 'Lead Source', 'picklist', choices(...leadSources)),
  field('HasOptedOutOfEmail', 'Email Opt Out', 'boolean', { nillable: false, defaultedOnCreate: true }),
];

const contact: ObjectDescription = {
  name: 'Contact',
  label: 'Contact',
  labelPlural: 'Contacts',
  keyPrefix: '003',
  isSetup: false,
  fields: [
    ...everyRecord,
    field('AccountId', 'Account ID', 'reference', {
      length: 18,
      referenceTo: ['Account'],
      relationshipName: 'Account',
    }),
    ...person,
    field('Department', 'Department', 'string', { length: 80 }),
    field('Birthdate', 'Birthdate', 'date'),
    field('MailingCity', 'Mailing City', 'string', { length: 40 }),
    field('MailingCountry', 'Mailing Country', 'string', { length: 80 }),
    field('MailingAddress', 'Mailing Address', 'address', {
      createable: false,
      updateable: false,
      sortable: false,
    }),
    owner,
  ],
};

const lead: ObjectDescription = {
  name: 'Lead',
  label: 'Lead',
  labelPlural: 'Leads',
  keyPrefix: '00Q',
  isSetup: false,
  fields: [
    ...everyRecord,
    ...person,
    field('Company', 'Company', 'string', { length: 255, ...required }),
    field('Website', 'Website', 'url', { length: 255 }),
    field('Status', 'Lead Status', 'picklist', {
      ...choices('Open - Not Contacted', 'Working - Contacted', 'Closed - Converted'),
      nillable: false,
      defaultedOnCreate: true,
    }),
    field('Industry', 'Industry', 'picklist', choices(...industries)),
    field('NumberOfEmployees', 'No. of Employees', 'int'),
    field('City', 'City', 'string', { length: 40 }),
    field('Country', 'Country', 'string', { length: 80 }),
    field('IsConverted', 'Converted', 'boolean', {
      nillable: false,
      defaultedOnCreate: true,
      updateable: false,
    }),
    owner,
  ],
};

const account: ObjectDescription = {
  name: 'Account',
  label: 'Account',
  labelPlural: 'Accounts',
  keyPrefix: '001',
  isSetup: false,
  fields: [
    ...everyRecord,
    field('Name', 'Account Name', 'string', { length: 255, ...required }),
    field('Website', 'Website', 'url', { length: 255 }),
    field('Phone', 'Account Phone', 'phone', { length: 40 }),
    field('Industry', 'Industry', 'picklist', choices(...industries)),
    field('Type', 'Account Type', 'picklist', {
      ...choices('Prospect', 'Customer', 'Partner'),
      restrictedPicklist: true,
    }),
    field('AnnualRevenue', 'Annual Revenue', 'currency'),
    field('NumberOfEmployees', 'Employees', 'int'),
    field('Description', 'Account Description', 'textarea', {
      length: 32_000,
      filterable: false,
      sortable: false,
    }),
    field('BillingCity', 'Billing City', 'string', { length: 40 }),
    field('BillingCountry', 'Billing Country', 'string', { length: 80 }),
    owner,
  ],
};

const permissionSet: ObjectDescription = {
  name: 'PermissionSet',
  label: 'Permission Set',
  labelPlural: 'Permission Sets',
  keyPrefix: '0PS',
  isSetup: true,
  fields: [
    ...everyRecord,
    field('Name', 'Permission Set Name', 'string', { length: 80, ...required, unique: true }),
    field('Label', 'Permission Set Label', 'string', { length: 80, ...required }),
    field('Description', 'Description', 'string', { length: 255 }),
    field('IsOwnedByProfile', 'Is Owned By Profile', 'boolean', filledBySalesforce),
  ],
};

const fieldPermissions: ObjectDescription = {
  name: 'FieldPermissions',
  label: 'Field Permissions',
  labelPlural: 'Field Permissions',
  keyPrefix: '01k',
  isSetup: true,
  fields: [
    ...everyRecord,
    field('ParentId', 'Parent ID', 'reference', { length: 18, ...required }),
    field('SobjectType', 'Sobject Type', 'string', { length: 40, ...required }),
    field('Field', 'Field Name', 'string', { length: 120, ...required }),
    field('PermissionsRead', 'Read Field', 'boolean', { nillable: false, defaultedOnCreate: true }),
    field('PermissionsEdit', 'Edit Field', 'boolean', { nillable: false, defaultedOnCreate: true }),
  ],
};

const permissionSetAssignment: ObjectDescription = {
  name: 'PermissionSetAssignment',
  label: 'Permission Set Assignment',
  labelPlural: 'Permission Set Assignments',
  keyPrefix: '0Pa',
  isSetup: true,
  fields: [
    ...everyRecord,
    field('AssigneeId', 'Assignee ID', 'reference', { length: 18, ...required }),
    field('PermissionSetId', 'Permission Set ID', 'reference', { length: 18, ...required }),
  ],
};

/** Objects that every new organization has. */
export const standardObjects: readonly ObjectDescription[] = [
  contact,
  lead,
  account,
  permissionSet,
  fieldPermissions,
  permissionSetAssignment,
];
