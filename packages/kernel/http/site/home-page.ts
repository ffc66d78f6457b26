// What a person sees who opens the address in a browser. Programs get the error of any unknown path there, as before.
import { createHash } from 'node:crypto'
import { sendText } from '../answer/send.ts'
import { escapeHtml } from '../docs/escape-html.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Home } from './home.ts'

/** `otherwise` answers everything else. */
export function homeOr(home: () => Home, otherwise: Endpoint): Endpoint {
  return async (exchange) => {
    const { method, path, headers } = exchange
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead || path !== '/' || !/\btext\/html\b/.test(headers.accept ?? '')) return otherwise(exchange)
    sendText(exchange, 200, html(home()), { ...pageHeaders })
  }
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem}
pre{padding:1rem;overflow:auto;border:1px solid #8888;border-radius:6px}`

/** It runs nothing, loads nothing, and can be put into no other page. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  vary: 'accept',
}

const html = ({ title, about, links, example }: Home): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<pre><code>${escapeHtml(example)}</code></pre>
<ul>
${links.map(({ path, text }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(text)}</a></li>`).join('\n')}
</ul>
</body>
</html>
`
