// A collector of traces for tests: takes OTLP in JSON on a port of its own and hands out the spans.
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number; boolValue?: boolean }
}

export interface CollectedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  status: { code: number }
  attributes: Record<string, unknown>
  resource: Record<string, unknown>
}

interface Delivery {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes' | 'resource'> & { attributes: Attribute[] })[] }[]
  }[]
}

export class OtlpCollector {
  readonly spans: CollectedSpan[] = []
  /** Every byte of every request, headers too. */
  received = ''
  paths: string[] = []
  readonly #arrivals = new EventEmitter()
  readonly #server = createServer(async (request, response) => {
    const body = await text(request)
    this.paths.push(request.url ?? '')
    this.received += `${request.rawHeaders.join('\n')}\n${body}`
    this.spans.push(...spansOf(JSON.parse(body)))
    response.setHeader('content-type', 'application/json').end('{}')
    this.#arrivals.emit('spans')
  })

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The span of the request that got this id. */
  async spanOf(requestId: string | null): Promise<CollectedSpan> {
    for (;;) {
      const span = this.spans.find(({ attributes }) => attributes['atoll.request_id'] === requestId)
      if (span) return span
      await once(this.#arrivals, 'spans')
    }
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }
}

const spansOf = ({ resourceSpans }: Delivery): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: plain(span.attributes),
        resource: plain(resource.attributes),
      })),
    ),
  )

const plain = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]))
