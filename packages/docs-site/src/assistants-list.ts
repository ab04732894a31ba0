import { collectionAddress } from './collection.ts';
import type { Group, Page } from './pages.ts';

/** The file `/llms.txt`: what assistants may read, as Markdown (llmstxt.org). */
export function assistantsList(groups: readonly Group[], home: Page): string {
  const sections = groups.map(({ title, links }) => [
    `## ${title}`,
    links.map(({ text, address, about }) => `- [${text}](${address}.md): ${about}`).join('\n'),
  ]);
  const reference = [
    '## Reference',
    [
      '- [API](/openapi.json): the OpenAPI 3.1 document of the API for programs',
      '- [Application API](/openapi-app.json): the OpenAPI 3.1 document of the application',
      '- [API reference](/docs/reference): every operation, with examples in curl, TypeScript and Python',
      `- [Collection](${collectionAddress}): a request for each operation, for Postman, Bruno and Insomnia`,
      '- [Error codes](/docs/errors.md): every code, and what to do',
      '- [Changelog](/docs/changelog.md): what changed in each release',
      '- [Status](/status): what works now',
    ].join('\n'),
  ];
  return `${['# Mailproof', `> ${home.summary}`, ...sections.flat(), ...reference].join('\n\n')}\n`;
}
