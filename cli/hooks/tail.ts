// Deliveries as they come and change, a line each, until Ctrl-C. A server that goes away is waited for.
import { setTimeout as pause } from 'node:timers/promises'
import { CommandProblem, telling } from '../command-problem.ts'
import { timeText } from '../table.ts'
import type { ReceivedEvent } from './event-stream.ts'
import { type HooksServer, type ServerFlags, serverFrom } from './hooks-server.ts'
import type { Delivery } from './objects.ts'
import { onOneLine } from './plain-text.ts'

const firstPauseMs = 200
const longestPauseMs = 5_000
/** A server says something at least every few seconds; silence is a connection that broke. */
const silenceMs = 30_000

interface TailFlags extends ServerFlags {
  json?: boolean
  recent?: string
}

export const tail = ({ json, recent = '10', ...flags }: TailFlags): Promise<void> =>
  telling(async () => {
    if (!/^\d{1,4}$/.test(recent)) throw new CommandProblem('--recent takes a number up to 1000.')
    const server = serverFrom(flags, process.env)
    const stop = new AbortController()
    for (const event of ['SIGINT', 'SIGTERM'] as const) process.once(event, () => stop.abort())
    await followForEver(server, `/events?recent=${recent}`, { json: json === true, signal: stop.signal })
  })

async function followForEver(
  server: HooksServer,
  path: string,
  { json, signal }: { json: boolean; signal: AbortSignal },
): Promise<void> {
  let lastId: string | undefined
  let waitMs = firstPauseMs
  let isAway = false
  while (!signal.aborted) {
    try {
      for await (const event of withoutSilence(server, path, lastId, signal)) {
        if (isAway) process.stderr.write('The gateway is back.\n')
        isAway = false
        waitMs = firstPauseMs
        lastId = event.id ?? lastId
        print(event, json)
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof CommandProblem) || !error.passes) throw error
      if (!isAway) process.stderr.write(`Waiting: ${error.message}\n`)
      isAway = true
    }
    await pause(waitMs, undefined, { signal }).catch(() => {})
    waitMs = Math.min(waitMs * 2, longestPauseMs)
  }
}

async function* withoutSilence(
  server: HooksServer,
  path: string,
  lastId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<ReceivedEvent> {
  const silence = new AbortController()
  const broken = () => silence.abort(server.away('the connection fell silent'))
  let timer = setTimeout(broken, silenceMs)
  try {
    for await (const event of server.follow(path, lastId, AbortSignal.any([signal, silence.signal]))) {
      clearTimeout(timer)
      timer = setTimeout(broken, silenceMs)
      yield event
    }
  } finally {
    clearTimeout(timer)
  }
}

function print({ event, data }: ReceivedEvent, json: boolean): void {
  if (event === 'missed') process.stderr.write('Some changes came too fast to be shown.\n')
  if (event !== 'delivery') return
  process.stdout.write(json ? `${data}\n` : `${line(JSON.parse(data))}\n`)
}

function line({ id, state, path, name, error, receivedAt, endedAt }: Delivery): string {
  const words = [name, error].filter((text) => text !== null && text !== '').map((text) => onOneLine(text ?? ''))
  return [timeText(endedAt ?? receivedAt), id, state.padEnd(9), onOneLine(path, 40), ...words].join('  ')
}
