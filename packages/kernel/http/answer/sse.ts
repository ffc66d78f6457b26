// Server-sent events: written as they come, no faster than the client reads, stopped when it leaves.
import type { ServerResponse } from 'node:http'
import type { LiveExchange } from '../exchange.ts'
import type { ServerSentEvent } from '../reply.ts'
import { toHttpError } from './failure.ts'
import { writeHead } from './response-head.ts'

const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

export async function sendEvents(
  exchange: LiveExchange,
  events: AsyncIterable<ServerSentEvent>,
  headers: Record<string, string>,
): Promise<void> {
  const { response } = exchange
  const iterator = events[Symbol.asyncIterator]()
  // A generator that waits for its next event hears of this when that event comes; the exchange's signal is faster.
  const stop = () => void Promise.resolve(iterator.return?.()).catch(() => {})
  if (exchange.clientLeft) return stop()
  writeHead(exchange, 200, { ...eventHeaders, ...headers })
  if (exchange.method === 'HEAD') {
    stop()
    response.end()
    return
  }
  // An event that is there already travels with the head; a head that would have to wait goes ahead.
  const flush = setImmediate(() => response.flushHeaders())
  response.once('close', stop)
  try {
    await writeAll(response, iterator)
  } catch (error) {
    if (!response.closed) response.write(errorFrame(error, exchange))
  }
  clearImmediate(flush)
  response.off('close', stop)
  response.end()
}

async function writeAll(response: ServerResponse, iterator: AsyncIterator<ServerSentEvent>): Promise<void> {
  while (!response.closed) {
    const step = await iterator.next()
    if (step.done === true || response.closed) return
    if (!response.write(formatEvent(step.value))) await untilWritable(response)
  }
}

function untilWritable(response: ServerResponse): Promise<void> {
  if (response.closed) return Promise.resolve()
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

export function formatEvent({ event, id, data }: ServerSentEvent): string {
  const name = field('event', event) + field('id', id)
  const lines = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data
  return `${name}data: ${lines}\n\n`
}

const field = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `${name}: ${value.replace(/[\r\n\0]+/g, ' ')}\n`

/** The status went out long ago, so an error can only be the last event; clients look for `error` in its data. */
const errorFrame = (error: unknown, exchange: LiveExchange): string =>
  formatEvent({ data: JSON.stringify(toHttpError(error, exchange).body) })
