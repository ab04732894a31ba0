/** The API reference: Swagger UI over our OpenAPI document, served from this installation alone. */
export function referencePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Mailproof</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<main id="reference"><p>The reference needs JavaScript. The same in plain JSON: <a href="/openapi.json">openapi.json</a>.</p></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;
}

/** Starts the reference. No validator is asked: that would send the document to a third party. */
export function referenceScript(): string {
  return `SwaggerUIBundle({
  url: '/openapi.json',
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
