// What every server answers beside its service: health, the document of its routes, and what the starter adds.

import { sendText } from '../answer/send.ts'
import { docsPage } from '../docs/docs-page.ts'
import { openApiDocument } from '../docs/openapi.ts'
import type { Endpoint } from '../endpoint.ts'
import { forwardRoutes } from '../forward/forward.ts'
import type { AnyService } from '../host.ts'
import type { ListenOptions } from '../options.ts'
import { groupRoute } from '../routing/group-route.ts'
import type { ServerRoute } from '../routing/router.ts'
import { siteRoutes } from '../site/static-site.ts'
import { alive, readiness } from './health.ts'

type Text = { body: string; headers: Record<string, string> }

export function kernelRoutes(service: AnyService, options: Omit<ListenOptions, 'address'>): ServerRoute[] {
  const document = once(async () => ({
    body: JSON.stringify(openApiDocument(service)),
    headers: { 'content-type': 'application/json' },
  }))
  const page = once(() => docsPage(service.title))
  return [
    get('/healthz', alive),
    get('/readyz', readiness(options.health)),
    get('/openapi.json', text(document)),
    get('/docs', text(page)),
    ...(options.extraRoutes ?? []).map(({ path, handler }) =>
      get(
        path,
        text(() => extra(handler)),
      ),
    ),
    ...(options.site === undefined ? [] : siteRoutes(options.site)),
    ...(options.forwarding === undefined ? [] : forwardRoutes(options.forwarding)),
    ...(options.group === undefined ? [] : [groupRoute(options.group)]),
  ]
}

const get = (path: string, endpoint: Endpoint): ServerRoute => ({ methods: ['GET', 'HEAD'], path, endpoint })

/** Made when first asked for, then kept: most processes are never asked. */
function once(make: () => Promise<Text>): () => Promise<Text> {
  let made: Promise<Text> | undefined
  return () => {
    made ??= make()
    return made
  }
}

async function extra(handler: () => Promise<{ contentType: string; body: string }>): Promise<Text> {
  const { contentType, body } = await handler()
  return { body, headers: { 'content-type': contentType } }
}

function text(make: () => Promise<Text>): Endpoint {
  return async (exchange) => {
    const { body, headers } = await make()
    sendText(exchange, 200, body, { ...headers })
  }
}
