// A runtime of its own for a test: folders under /tmp, busybox as the image, and a look at what is left behind.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { programFolder } from '../../testing/native-programs.ts'
import type { OciRuntime } from '../oci-runtime.ts'
import { openOciRuntime } from '../open-oci-runtime.ts'
import type { ContainerProcess, OciProcess, OciResources } from '../runtime.ts'
import { minimalProcess, minimalSpec } from './minimal-spec.ts'

const busybox = '/usr/bin/busybox'

export interface ContainerChoices {
  id?: string
  runtime?: string
  tty?: boolean
  consoleSize?: [number, number]
  openStdin?: boolean
  stdinOnce?: boolean
  log?: ContainerProcess['log']
  process?: Partial<OciProcess>
  resources?: OciResources
  lower?: string[]
}

export class RuntimeKit {
  readonly folder: string
  readonly runtime: OciRuntime
  private readonly name: string

  private constructor(folder: string, name: string, runtime: OciRuntime) {
    this.folder = folder
    this.name = name
    this.runtime = runtime
  }

  static async open(options: { folder?: string; clientMilliseconds?: number } = {}): Promise<RuntimeKit> {
    const { folder = mkdtempSync(join(tmpdir(), 'engine-runtime-')), ...more } = options
    if (!existsSync(join(folder, 'layers/busybox'))) makeBusybox(join(folder, 'layers/busybox'))
    const runtime = await openOciRuntime({ folder, programFolder, ...more })
    return new RuntimeKit(folder, folder.split('/').pop() ?? 'kit', runtime)
  }

  newId(): string {
    return randomBytes(32).toString('hex')
  }

  logPath(id: string): string {
    return join(this.folder, 'containers', id, 'log.json')
  }

  container(args: string[], choices: ContainerChoices = {}): ContainerProcess {
    const id = choices.id ?? this.newId()
    const own = join(this.folder, 'containers', id)
    for (const each of ['upper', 'work']) mkdirSync(join(own, each), { recursive: true })
    return {
      id,
      runtime: choices.runtime ?? 'crun',
      spec: minimalSpec(`/${this.name}/${id}`, minimalProcess(args, choices.process), choices.resources),
      rootfs: {
        lower: choices.lower ?? [join(this.folder, 'layers/busybox')],
        upper: join(own, 'upper'),
        work: join(own, 'work'),
      },
      tty: choices.tty ?? false,
      ...(choices.consoleSize ? { consoleSize: choices.consoleSize } : {}),
      openStdin: choices.openStdin ?? false,
      stdinOnce: choices.stdinOnce ?? false,
      log: choices.log ?? { path: this.logPath(id), maxBytes: 0, maxFiles: 1 },
    }
  }

  async started(args: string[], choices: ContainerChoices = {}): Promise<string> {
    const container = this.container(args, choices)
    await this.runtime.create(container)
    await this.runtime.start(container.id)
    return container.id
  }

  log(id: string): { log: string; stream: string; time: string }[] {
    const lines = readFileSync(this.logPath(id), 'utf8').trimEnd().split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line) as { log: string; stream: string; time: string })
  }

  /** Cgroups of containers, and what the runtimes still know. */
  runtimeLeftovers(): string[] {
    const cgroups = readdirSync('/sys/fs/cgroup').flatMap((controller) => {
      const folder = join('/sys/fs/cgroup', controller, this.name)
      return existsSync(folder) ? readdirSync(folder).filter((each) => /^[0-9a-f]{64}$/.test(each)) : []
    })
    const states = readdirSync(join(this.folder, 'run/.runtimes')).flatMap((name) =>
      readdirSync(join(this.folder, 'run/.runtimes', name)),
    )
    return [...cgroups, ...states]
  }

  /** Everything of this kit's that is still there: processes, cgroups, mounts, and folders of runs and runtimes. */
  leftovers(): string[] {
    const processes = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && this.mentions(pid))
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => line.includes(this.folder))
    const runs = readdirSync(join(this.folder, 'run')).filter((each) => each !== '.runtimes')
    return [...processes, ...mounts, ...runs, ...this.runtimeLeftovers()]
  }

  async close(): Promise<void> {
    this.runtime.release()
    for (const controller of readdirSync('/sys/fs/cgroup')) {
      const folder = join('/sys/fs/cgroup', controller, this.name)
      if (existsSync(folder)) execFileSync('rmdir', [folder])
    }
    rmSync(this.folder, { recursive: true, force: true })
  }

  private mentions(pid: string): boolean {
    if (Number(pid) === process.pid) return false
    const isOwn = readText(`/proc/${pid}/cmdline`).includes(`${this.folder}/`)
    return isOwn || readText(`/proc/${pid}/cgroup`).includes(`/${this.name}/`)
  }
}

function makeBusybox(layer: string): void {
  for (const each of ['proc', 'dev', 'tmp', 'etc', 'bin']) mkdirSync(join(layer, each), { recursive: true })
  copyFileSync(busybox, join(layer, 'bin/busybox'))
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' }).split('\n')
  for (const applet of applets.filter((name) => name !== '' && name !== 'busybox')) {
    symlinkSync('busybox', join(layer, 'bin', applet))
  }
}

/** Empty when it is gone. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** All bytes until the stream ends. */
export async function readAll(stream: Duplex): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Frames put together by stream. */
export function unframe(bytes: Buffer): { stdout: string; stderr: string } {
  const out: Record<number, Buffer[]> = { 1: [], 2: [] }
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at + 4)
    out[bytes[at] ?? 0]?.push(bytes.subarray(at + 8, at + 8 + length))
    at += 8 + length
  }
  return { stdout: Buffer.concat(out[1] ?? []).toString(), stderr: Buffer.concat(out[2] ?? []).toString() }
}
