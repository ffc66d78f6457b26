// One run of a health check: a process in the container, its output cut, its time bounded.
import type { Duplex } from 'node:stream'
import { seconds, within } from './deadline.ts'
import type { ContainerRecord, HealthProbe } from './record.ts'
import { sigkill } from './signals.ts'
import { goDuration, timestampOf } from './timestamps.ts'
import type { World } from './world.ts'

/** More is cut. */
const maxOutputBytes = 4096
const frameHeaderBytes = 8
const execDeadline = seconds(30)
/** For a process that did not run, or not in time. */
const failedCode = -1

export interface HealthPlan {
  command: string[]
  intervalMs: number
  timeoutMs: number
  retries: number
  startPeriodMs: number
  startIntervalMs: number
}

export async function runProbe(world: World, record: ContainerRecord, plan: HealthPlan): Promise<HealthProbe> {
  const Start = timestampOf(world.now())
  const { ExitCode, Output } = await probe(world, record, plan).catch((error: unknown) => ({
    ExitCode: failedCode,
    Output: error instanceof Error ? error.message : String(error),
  }))
  return { Start, End: timestampOf(world.now()), ExitCode, Output }
}

async function probe({ ports }: World, record: ContainerRecord, { command, timeoutMs }: HealthPlan) {
  const { runtime, specs, ids } = ports
  const execId = ids.hex() + ids.hex()
  const process = await within(execDeadline, 'the health check', specs.process(record, command))
  const { streams } = await within(
    execDeadline,
    'the health check',
    runtime.exec({ execId, containerId: record.id, process, tty: false, openStdin: false }),
  )
  const output = collect(streams.connection)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs)
  })
  const exit = await Promise.race([runtime.execExited(execId), late]).finally(() => clearTimeout(timer))
  if (exit !== 'late') return { ExitCode: exit.exitCode, Output: await output.text() }
  await within(execDeadline, 'ending the health check', runtime.execSignal(execId, sigkill)).catch(() => {})
  const said = await output.text()
  const words = `Health check exceeded timeout (${goDuration(timeoutMs)})`
  return { ExitCode: failedCode, Output: said === '' ? words : `${words}: ${said}` }
}

/** What was written to both streams, without their frames. */
function collect(connection: Duplex) {
  const parts: Buffer[] = []
  let kept = 0
  let rest = 0
  let header = Buffer.alloc(0)
  const keep = (bytes: Buffer): void => {
    const part = bytes.subarray(0, Math.max(0, maxOutputBytes - kept))
    if (part.length > 0) parts.push(part)
    kept += part.length
  }
  const ended = new Promise<void>((resolve) => {
    connection
      .once('close', resolve)
      .once('end', resolve)
      .once('error', () => resolve())
  })
  connection.on('data', (chunk: Buffer) => {
    let bytes = chunk
    while (bytes.length > 0) {
      if (rest > 0) {
        keep(bytes.subarray(0, rest))
        const taken = Math.min(rest, bytes.length)
        rest -= taken
        bytes = bytes.subarray(taken)
        continue
      }
      const missing = frameHeaderBytes - header.length
      header = Buffer.concat([header, bytes.subarray(0, missing)])
      bytes = bytes.subarray(missing)
      if (header.length < frameHeaderBytes) break
      rest = header.readUInt32BE(4)
      header = Buffer.alloc(0)
    }
  })
  return {
    /** A background process may keep the stream open: what came is enough. */
    async text(): Promise<string> {
      await within(seconds(1), 'reading the output', ended).catch(() => {})
      connection.destroy()
      return Buffer.concat(parts).toString('utf8')
    },
  }
}
