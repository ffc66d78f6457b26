// What every server answers beside its service: health, the document of its routes, and what the starter adds.
import { docsHeaders, docsPage } from './docs-page.ts'
import type { Endpoint } from './endpoint.ts'
import { alive, readiness } from './health.ts'
import type { AnyService } from './host.ts'
import { openApiDocument } from './openapi.ts'
import type { ListenOptions } from './options.ts'
import { sendText } from './send.ts'
import { fail } from './send-result.ts'
import type { ServerRoute } from './server.ts'

type Text = { body: string; headers: Record<string, string> }

export function kernelRoutes(service: AnyService, options: ListenOptions): ServerRoute[] {
  const document = once(() => JSON.stringify(openApiDocument(service)))
  const page = once(() => docsPage(service.title))
  return [
    get('/healthz', alive),
    get('/readyz', readiness(options.health)),
    get(
      '/openapi.json',
      text(async () => ({ body: document(), headers: { 'content-type': 'application/json' } })),
    ),
    get(
      '/docs',
      text(async () => ({ body: page(), headers: docsHeaders })),
    ),
    ...(options.extraRoutes ?? []).map(({ path, handler }) =>
      get(
        path,
        text(() => extra(handler)),
      ),
    ),
  ]
}

const get = (path: string, endpoint: Endpoint): ServerRoute => ({ methods: ['GET', 'HEAD'], path, endpoint })

/** Made when first asked for, then kept: most processes are never asked. */
function once(make: () => string): () => string {
  let made: string | undefined
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
    try {
      const { body, headers } = await make()
      sendText(exchange, 200, body, { ...headers })
    } catch (error) {
      fail(exchange, error)
    }
  }
}
