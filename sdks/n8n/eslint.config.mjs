import parser from '@typescript-eslint/parser';
import n8n from 'eslint-plugin-n8n-nodes-base';

/** The rules that n8n has for community nodes. */
const rulesOf = kind => ({ ...n8n.configs[kind].rules });

export default [
  { ignores: ['dist/**', 'node_modules/**'] },
  {
    files: ['credentials/**/*.ts'],
    languageOptions: { parser },
    plugins: { 'n8n-nodes-base': n8n },
    rules: {
      ...rulesOf('credentials'),
      // Each installation serves its own documentation, at a URL that only the user knows.
      'n8n-nodes-base/cred-class-field-documentation-url-missing': 'off',
    },
  },
  {
    files: ['nodes/**/*.ts'],
    languageOptions: { parser },
    plugins: { 'n8n-nodes-base': n8n },
    rules: rulesOf('nodes'),
  },
];
