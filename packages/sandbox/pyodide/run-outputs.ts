// Collects what one run says, within its limits. The process is not trusted: whatever it sends has an end here.
import type { SandboxFile, SandboxOutput, SandboxResult } from '../sandbox.ts'
import type { Frame, Reply } from './frames.ts'
import type { SandboxLimits } from './limits.ts'

const maxNameLength = 1024

type Stop = NonNullable<SandboxResult['stopped']>

export class RunOutputs {
  readonly #limits: SandboxLimits
  readonly #onLogs: ((text: string) => void) | undefined
  readonly #end: (how: Stop | 'ended') => void
  /** A character may come in two pieces. */
  readonly #decoder = new TextDecoder()
  readonly #outputs: SandboxOutput[] = []
  readonly #files: SandboxFile[] = []
  #printedBytes = 0
  #returnedBytes = 0
  #images = 0
  #fatal: string | undefined
  #over = false

  constructor(limits: SandboxLimits, onLogs: ((text: string) => void) | undefined, end: (how: Stop | 'ended') => void) {
    this.#limits = limits
    this.#onLogs = onLogs
    this.#end = end
  }

  hear({ header, bytes }: Frame<Reply>): void {
    if (this.#over) return
    if (header.is === 'logs') this.#print(bytes)
    else if (header.is === 'image' || header.is === 'file') this.#keep(header.is, header.name, bytes)
    else if (header.is === 'ended') this.#finish(howEnded(header.fatal), header.fatal)
    else this.#finish('died')
  }

  result(stopped: Stop | undefined): SandboxResult {
    this.#over = true
    this.#log(this.#decoder.decode())
    if (stopped === undefined) return { outputs: this.#outputs, files: this.#files }
    const last = this.#outputs.at(-1)
    const isMidLine = last?.type === 'logs' && !last.logs.endsWith('\n')
    this.#log(`${isMidLine ? '\n' : ''}${this.#reason(stopped)}\n`)
    return { outputs: this.#outputs, files: this.#files, stopped }
  }

  #print(bytes: Uint8Array): void {
    const room = this.#limits.outputBytes - this.#printedBytes
    this.#printedBytes += bytes.length
    this.#log(this.#decoder.decode(bytes.subarray(0, room), { stream: true }))
    if (bytes.length > room) this.#finish('output')
  }

  #log(text: string): void {
    if (text === '') return
    const last = this.#outputs.at(-1)
    if (last?.type === 'logs') last.logs += text
    else this.#outputs.push({ type: 'logs', logs: text })
    this.#onLogs?.(text)
  }

  #keep(is: 'image' | 'file', name: unknown, bytes: Uint8Array): void {
    const count = is === 'image' ? ++this.#images : this.#files.length + 1
    this.#returnedBytes += bytes.length
    // An image that is also a file comes twice.
    const isTooMuch = count > this.#limits.returnedFiles || this.#returnedBytes > 2 * this.#limits.returnedBytes
    if (isTooMuch) this.#finish('output')
    else if (!isPathBelow(name)) this.#finish('died')
    else if (is === 'image') this.#outputs.push({ type: 'image', name, bytes })
    else this.#files.push({ name, bytes })
  }

  #finish(how: Stop | 'ended', fatal?: string): void {
    this.#over = true
    this.#fatal = fatal
    this.#end(how)
  }

  #reason(stopped: Stop): string {
    const { cpuSeconds, wallSeconds, memoryMegabytes, outputBytes } = this.#limits
    const why = {
      time: `it ran longer than it may (${cpuSeconds} s of processor time, ${wallSeconds} s in all)`,
      memory: `it used more memory than it may (${memoryMegabytes} MB)`,
      output: `it put out more than it may (${Math.round(outputBytes / 1024)} KB of text)`,
      died: this.#fatal ?? 'the Python process ended',
    }
    return `The code was stopped: ${why[stopped]}. Variables and files of this session are gone.`
  }
}

function howEnded(fatal: unknown): Stop | 'ended' {
  if (fatal === undefined) return 'ended'
  return isOutOfMemory(String(fatal)) ? 'memory' : 'died'
}

/** As the engine words it, or its C++ parts. */
export const isOutOfMemory = (text: string): boolean => /out of memory|allocation failed|bad_alloc/i.test(text)

const isPathBelow = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= maxNameLength && name.split('/').every((part) => !/^\.{0,2}$/.test(part))
