// What an operator changes and tries: pauses, where replies go, a mapping on a file.
import { readFileSync } from 'node:fs'
import { CommandProblem, telling } from '../command-problem.ts'
import { show } from '../table.ts'
import { type ServerFlags, serverFrom } from './hooks-server.ts'
import type { Paused, Target } from './objects.ts'
import { indented, jsonText, onOneLine } from './plain-text.ts'

type Shown = ServerFlags & { json?: boolean }

const maxFileBytes = 1024 * 1024

export const pause = (mapping: string | undefined, flags: ServerFlags): Promise<void> =>
  change('/pause', mapping, flags)

export const resume = (mapping: string | undefined, flags: ServerFlags): Promise<void> =>
  change('/resume', mapping, flags)

const change = (path: string, mapping: string | undefined, flags: ServerFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const body = mapping === undefined ? {} : { mapping }
    console.log(pausedText(await server.send<Paused>(path, { method: 'POST', body })))
  })

function pausedText({ all, mappings }: Paused): string {
  if (all) return 'Everything is paused: what comes in waits.'
  if (mappings.length === 0) return 'Nothing is paused.'
  return `Paused: ${mappings.map((id) => onOneLine(id)).join(', ')}. What comes in for them waits.`
}

interface Status {
  deliveries: Record<string, number>
  paused: Paused
  heartbeat: { dueAt: string | null; openEvents: number }
  outbox: Record<string, number>
}

export const showStatus = ({ json, ...flags }: Shown): Promise<void> =>
  telling(async () => {
    const status = await serverFrom(flags, process.env).get<Status>('/status')
    if (json) {
      process.stdout.write(jsonText(status))
      return
    }
    const counts = (all: Record<string, number>) =>
      Object.entries(all)
        .map(([state, count]) => `${count} ${state}`)
        .join(', ')
    console.log(`Deliveries: ${counts(status.deliveries)}`)
    console.log(`Outbox: ${counts(status.outbox)}`)
    console.log(`Heartbeat: next ${status.heartbeat.dueAt ?? 'when asked'}, ${status.heartbeat.openEvents} events wait`)
    console.log(pausedText(status.paused))
  })

interface Route {
  last: Target | null
  effective: Target | null
}

/** Without a channel it is shown. */
export const route = (channel: string | undefined, to: string | undefined, { json, ...flags }: Shown): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    if (channel !== undefined && to === undefined)
      throw new CommandProblem('say to whom: ./atoll hooks route CHANNEL TO')
    const shown =
      channel === undefined
        ? await server.get<Route>('/route')
        : await server.send<Route>('/route', { method: 'PUT', body: { channel, to } })
    if (json) process.stdout.write(jsonText(shown))
    else console.log(routeText(shown))
  })

function routeText({ last, effective }: Route): string {
  if (effective === null) return 'Replies to "last" go nowhere: there is no last recipient, and no channels.default.'
  const where = `${effective.channel} ${onOneLine(effective.to)}`
  return `Replies to "last" go to ${where}${last === null ? ', the default' : ''}.`
}

interface ShownMapping {
  id: string
  match: { path?: string; source?: string }
  action: string
  transform: { module: string } | null
  signature: string | null
  isPaused: boolean
}

export const listMappings = ({ json, ...flags }: Shown): Promise<void> =>
  telling(async () => {
    const { mappings } = await serverFrom(flags, process.env).get<{ mappings: ShownMapping[] }>('/mappings')
    show(mappings, {
      ...(json ? { json } : {}),
      titles: ['ID', 'PATH', 'SOURCE', 'ACTION', 'TRANSFORM', 'SIGNATURE', 'STATE'],
      row: ({ id, match, action, transform, signature, isPaused }) => [
        ...[id, match.path ?? '*', match.source ?? '*', action, transform?.module ?? ''],
        ...[signature ?? '', isPaused ? 'paused' : ''],
      ],
      none: 'There are no mappings: see hooks.mappings and hooks.presets.',
    })
  })

interface TestResult {
  outcome: 'action' | 'skipped' | 'refused' | 'failed'
  status: number
  found: string | null
  action?: object
  preview?: string
  error?: string
}

/** The exit code is 1 when the mapping would refuse or fail. */
export const testMapping = (id: string, file: string, { json, ...flags }: Shown): Promise<void> =>
  telling(async () => {
    const body = { payload: payloadIn(file) }
    const server = serverFrom(flags, process.env)
    const result = await server.send<TestResult>(`/mappings/${encodeURIComponent(id)}/test`, { method: 'POST', body })
    process.stdout.write(json ? jsonText(result) : resultText(result, id))
    if (result.outcome === 'refused' || result.outcome === 'failed') process.exitCode = 1
  })

function resultText({ outcome, status, found, action, preview, error }: TestResult, id: string): string {
  const answer = `The sender would get ${status}.`
  const other = found === id ? '' : `Such a request would go to ${found ?? 'no mapping'} though.\n`
  if (outcome === 'skipped') return `It would be skipped. ${answer}\n${other}`
  if (action === undefined) return `It would be ${outcome}: ${onOneLine(error ?? '', 500)}. ${answer}\n${other}`
  return `${answer}\n${other}${jsonText(action)}The agent would read:\n${indented(preview ?? '')}`
}

function payloadIn(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch {
    throw new CommandProblem(`the file ${file} cannot be read.`)
  }
  if (text.length > maxFileBytes) throw new CommandProblem(`the file ${file} has more than ${maxFileBytes} bytes.`)
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandProblem(`the file ${file} is not JSON.`)
  }
}
