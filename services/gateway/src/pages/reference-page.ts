import { escapeHtml } from '../domain/escape-html.ts';

/** An OpenAPI document, with the path and title of its reference page. */
export interface Reference {
  readonly page: string;
  readonly document: string;
  readonly title: string;
}

export const references = [
  { page: '/docs', document: '/openapi.json', title: 'API reference' },
  { page: '/docs/app', document: '/openapi-app.json', title: 'Application API reference' },
] as const satisfies readonly Reference[];

/** A reference page: Swagger UI for one of our OpenAPI documents, served entirely from this installation. */
export function referencePage({ page, document, title }: Reference): string {
  const links = references.map(other =>
    other.page === page
      ? `<a href="${other.page}" aria-current="page">${escapeHtml(other.title)}</a>`
      : `<a href="${other.page}">${escapeHtml(other.title)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Mailproof</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<style>nav { font: 1rem/1.6 system-ui, sans-serif; max-width: 1460px; margin: 0 auto; padding: 0.5rem 20px; }</style>
</head>
<body>
<nav aria-label="Documentation">${links.join(' · ')} · <a href="/docs/errors">Error codes</a></nav>
<main id="reference" data-document="${document}"><p>The reference needs JavaScript. The same in plain JSON: <a href="${document}">${document}</a>.</p></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;
}

/**
 * Starts Swagger UI for the document that the page names. The validator is off: it would send the document to a third
 * party.
 */
export function referenceScript(): string {
  return `SwaggerUIBundle({
  url: document.getElementById('reference').dataset.document,
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  defaultModelExpandDepth: 3,
});
`;
}
