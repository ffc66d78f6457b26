// The page at /docs: shows the OpenAPI document to a person in a hurry. One file, nothing loaded from elsewhere.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { escapeHtml } from './escape-html.ts'

const read = (name: string): Promise<string> => readFile(new URL(name, import.meta.url), 'utf8')

export async function docsPage(title: string): Promise<{ body: string; headers: Record<string, string> }> {
  const [script, style] = await Promise.all([read('./browser.js'), read('./style.css')])
  return { body: html(escapeHtml(title), script, style), headers: headers(script, style) }
}

/** The page may run and load nothing but itself and the document. */
const headers = (script: string, style: string): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
})

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const html = (title: string, script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header>
  <h1>${title} <small id="version"></small></h1>
  <input id="search" type="search" placeholder="Search operations   ( / )" aria-label="Search operations" autofocus>
  <a href="/openapi.json">openapi.json</a>
</header>
<div id="layout">
  <nav id="nav" aria-label="Groups"></nav>
  <main id="main"><p id="loading">Loading…</p></main>
</div>
<noscript><p>This page needs JavaScript; the document itself is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<script>${script}</script>
</body>
</html>
`
